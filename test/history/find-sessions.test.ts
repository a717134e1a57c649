import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { agentFolders, findSessions } from "../../src/history/find-sessions.ts"
import { locateHive } from "../../src/hive/locate.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { tempProject } from "../support/temp-project.ts"
import { claudeTranscript } from "./transcript.ts"

const HELLO = [{ user: "hello" }]

async function place() {
  const root = await tempProject()
  const [home, project] = [join(root, "home"), gitRepo(join(root, "shop"))]
  const find = async (from = project) =>
    (await findSessions(locateHive(from), agentFolders({}, home)))
      .map(({ agent, id }) => `${agent} ${id}`)
      .sort()
  return { root, home, project, find }
}

it("finds the sessions of a project, of its subfolders and of its worktrees, and no others", async () => {
  const { root, home, project, find } = await place()
  git(project, "worktree", "add", "-q", join(root, "shop-fix"))
  gitRepo(join(project, "vendor", "lib"))
  mkdirSync(join(project, "src"))
  claudeTranscript(home, project, "here", HELLO)
  claudeTranscript(home, join(project, "src"), "inside", HELLO)
  claudeTranscript(home, join(root, "shop-fix"), "worktree", HELLO)
  claudeTranscript(home, join(project, "vendor", "lib"), "another repository", HELLO)
  claudeTranscript(home, join(root, "shop-two"), "a name that begins alike", HELLO)
  // Claude Code's folder is the same for both paths.
  claudeTranscript(
    home,
    join(root, "shop", "fix").replace(/\/fix$/, "_fix"),
    "a path with the same name",
    HELLO,
  )
  codex(home, project, "c-here")
  codex(home, join(root, "elsewhere"), "c-elsewhere")
  gemini(home, { [project]: "shop", [join(root, "elsewhere")]: "elsewhere" })
  const expected = ["claude here", "claude inside", "claude worktree", "codex c-here", "gemini g-shop"]
  expect(await find()).toEqual(expected)
  expect(await find(join(root, "shop-fix"))).toEqual(expected)
})

it("finds the sessions that Entire keeps on its branch, the newest transcript of each, and those of SpecStory; copies are not read twice", async () => {
  const { home, project, find } = await place()
  const line = (text: string) =>
    `${JSON.stringify({ type: "user", uuid: "1", message: { content: text } })}\n`
  const checkpoint = (folder: string, id: string, at: string, text: string) => ({
    [`${folder}/0/metadata.json`]: JSON.stringify({ session_id: id, created_at: at, agent: "Claude Code" }),
    [`${folder}/0/full.jsonl`]: line(text),
  })
  commitOn(project, "entire/checkpoints/v1", {
    ...checkpoint("aa/111", "kept-here", "2026-02-01T10:00:00Z", "x"),
    ...checkpoint("bb/222", "of-a-colleague", "2026-02-01T10:00:00Z", "older"),
    ...checkpoint("cc/333", "of-a-colleague", "2026-02-02T10:00:00Z", "newer"),
  })
  claudeTranscript(home, project, "kept-here", HELLO)
  const folder = join(project, ".specstory/history")
  mkdirSync(folder, { recursive: true })
  const about = (id: string) =>
    `<!-- Claude Code Session ${id} (2026-02-01 10:00:00Z) -->\n\n_**User**_\n\nhello\n`
  writeFileSync(join(folder, "2026-02-01_10-00-00Z-copy.md"), about("kept-here"))
  writeFileSync(join(folder, "2026-02-03_10-00-00Z-own.md"), about("3c8a4b1e-0000-4000-8000-000000000000"))
  expect(await find()).toEqual([
    "claude kept-here",
    "entire of-a-colleague",
    "specstory 3c8a4b1e-0000-4000-8000-000000000000",
  ])
  const found = await findSessions(locateHive(project), agentFolders({}, home))
  const steps = [...((await found.find(({ agent }) => agent === "entire")?.open()) ?? [])]
  expect(steps.filter((step) => step !== undefined)).toMatchObject([{ what: "user", text: "newer" }])
})

it("a project that was moved keeps its sessions, if Claude Code's folder was renamed with it", async () => {
  const { home, project, find } = await place()
  const path = claudeTranscript(home, project, "moved", HELLO)
  writeFileSync(
    path,
    `${JSON.stringify({ cwd: "/old/place/shop", type: "user", uuid: "1", message: { content: "hi" } })}\n`,
  )
  expect(await find()).toEqual(["claude moved"])
})

function codex(home: string, cwd: string, id: string): void {
  const path = join(home, ".codex/sessions/2026/02/01", `rollout-2026-02-01T10-00-00-${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    `${JSON.stringify({ type: "session_meta", payload: { id, cwd, thread_source: "user" } })}\n`,
  )
}

function gemini(home: string, projects: Record<string, string>): void {
  for (const name of Object.values(projects)) {
    const path = join(home, ".gemini/tmp", name, "chats/session-1.jsonl")
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify({ sessionId: `g-${name}`, projectHash: "x", kind: "main" })}\n`)
  }
  writeFileSync(join(home, ".gemini/projects.json"), JSON.stringify({ projects }))
}

/** Commits files on a branch of their own; the work tree stays as it is. */
function commitOn(dir: string, branch: string, files: Record<string, string>): void {
  git(dir, "checkout", "-q", "--orphan", branch)
  git(dir, "rm", "-rfq", ".")
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  git(dir, "add", "-A")
  git(dir, "commit", "-q", "-m", "checkpoints")
  git(dir, "checkout", "-q", "main")
}
