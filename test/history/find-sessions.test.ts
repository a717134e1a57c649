import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { agentFolders, findSessions } from "../../src/history/find-sessions.ts"
import { locateHive } from "../../src/hive/locate.ts"
import { git, gitRepo, writeFiles } from "../support/git-repo.ts"
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
  // Claude Code gives `shop_fix` and the project's path the same folder name.
  claudeTranscript(home, join(root, "shop_fix"), "a path with the same name", HELLO)
  codex(home, project, "c-here")
  codex(home, join(root, "elsewhere"), "c-elsewhere")
  gemini(home, { [project]: "shop", [join(root, "elsewhere")]: "elsewhere" })
  const expected = ["claude here", "claude inside", "claude worktree", "codex c-here", "gemini g-shop"]
  expect(await find()).toEqual(expected)
  expect(await find(join(root, "shop-fix"))).toEqual(expected)
})

it("finds the newest transcripts of Entire and those of SpecStory, and reads no copy twice", async () => {
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
  const about = (id: string) =>
    `<!-- Claude Code Session ${id} (2026-02-01 10:00:00Z) -->\n\n_**User**_\n\nhello\n`
  writeFiles(join(project, ".specstory/history"), {
    "2026-02-01_10-00-00Z-copy.md": about("kept-here"),
    "2026-02-03_10-00-00Z-own.md": about("3c8a4b1e-0000-4000-8000-000000000000"),
  })
  expect(await find()).toEqual([
    "claude kept-here",
    "entire of-a-colleague",
    "specstory 3c8a4b1e-0000-4000-8000-000000000000",
  ])
  const found = await findSessions(locateHive(project), agentFolders({}, home))
  const steps = [...((await found.find(({ agent }) => agent === "entire")?.open()) ?? [])]
  expect(steps.filter((step) => step !== undefined)).toMatchObject([{ what: "user", text: "newer" }])
})

function codex(home: string, cwd: string, id: string): void {
  const text = JSON.stringify({ type: "session_meta", payload: { id, cwd, thread_source: "user" } })
  writeFiles(home, { [`.codex/sessions/2026/02/01/rollout-2026-02-01T10-00-00-${id}.jsonl`]: `${text}\n` })
}

function gemini(home: string, projects: Record<string, string>): void {
  const chatOf = (name: string) => JSON.stringify({ sessionId: `g-${name}`, projectHash: "x", kind: "main" })
  for (const name of Object.values(projects))
    writeFiles(home, { [`.gemini/tmp/${name}/chats/session-1.jsonl`]: `${chatOf(name)}\n` })
  writeFiles(home, { ".gemini/projects.json": JSON.stringify({ projects }) })
}

function commitOn(dir: string, branch: string, files: Record<string, string>): void {
  git(dir, "checkout", "-q", "--orphan", branch)
  git(dir, "rm", "-rfq", ".")
  writeFiles(dir, files)
  git(dir, "add", "-A")
  git(dir, "commit", "-q", "-m", "checkpoints")
  git(dir, "checkout", "-q", "main")
}
