import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { fileSystemProbe } from "../../src/gate/file-system-probe.ts"
import type { Snapshots } from "../../src/snapshots/snapshots.ts"
import { oldWork } from "../gate/trial/old-work.ts"
import { sample } from "../support/effort.ts"
import { git } from "../support/git-repo.ts"
import { copyTree, openSandbox } from "../support/sandbox.ts"
import { shellRefusal } from "../support/shell-refusal.ts"
import { tempProject } from "../support/temp-project.ts"
import { around } from "./snapshot-project.ts"
import { scripts } from "./trial-scripts.ts"

// Lists of destructive commands. Each runs in a copy of a repository with uncommitted work, in a sandbox.
const LISTS = { dirty: ["over-open-work", "hive-files"], clean: ["over-commits"] } as const

for (const state of ["dirty", "clean"] as const) {
  it(`everything that an allowed command destroys in a ${state} repository comes back`, async ({
    skip,
    task,
  }) => {
    using sandbox = openSandbox()
    if (sandbox === undefined) return skip("this system allows no mount namespaces")
    const base = realpathSync(await tempProject())
    const [pristine, live] = [join(base, "pristine"), join(base, "live")]
    mkdirSync(live)
    oldWork(live, state)
    copyTree(live, pristine)
    const before = contentOf(join(live, "p"))
    const commands = [...commandsOf(state), ...(state === "dirty" ? scripts : [])]
    const lost: string[] = []
    let refused = 0
    for (const command of sample(commands, state === "dirty" ? 12 : 4)) {
      copyTree(pristine, live)
      const project = around(join(live, "p"))
      if (await isRefused(command, project.snapshots, live)) {
        refused++
        continue
      }
      const run = () => sandbox.run(command, live, join(live, "p"))
      const missing = await runAndRestore(command, project, run).then(
        () => missingIn(join(live, "p"), before),
        (error: Error) => [error.message],
      )
      if (missing.length > 0) lost.push(`${command}: ${missing.slice(0, 5).join(", ")}`)
    }
    Object.assign(task.meta, {
      table: [{ fault: `commands in a ${state} repository`, refused, lost: lost.length }],
    })
    expect(lost).toEqual([])
  })
}

function commandsOf(state: keyof typeof LISTS): string[] {
  return LISTS[state].flatMap((name) => {
    const text = readFileSync(new URL(`../gate/trial/${name}.txt`, import.meta.url), "utf8")
    return text.split(/\n(?=# )/).flatMap((section) => {
      const [heading = "", ...lines] = section.split("\n").filter(Boolean)
      return /, (run|run or tried)\b/.test(heading) ? lines.map((line) => line.replaceAll("⏎", "\n")) : []
    })
  })
}

async function isRefused(command: string, snapshots: Snapshots, live: string): Promise<boolean> {
  const start = await snapshots.saveSessionStart("s", await snapshots.take())
  const userWork = {
    isCovered: true,
    usersFiles: new Set(Object.keys(start.uncommitted)),
    leftOut: start.state.leftOut.map(({ path }) => path),
    hasUsersStash: (start.state.repository?.stashes.length ?? 0) > 0,
  }
  const place = { projectDir: join(live, "p"), home: join(live, "home"), branch: "main" }
  const { isOldRepository } = fileSystemProbe(place.home, Number.POSITIVE_INFINITY)
  return shellRefusal(command, { ...place, userWork, isOldRepository }) !== undefined
}

async function runAndRestore(
  command: string,
  { snapshots, restore }: ReturnType<typeof around>,
  run: () => void,
): Promise<void> {
  const call = { session: "s", turn: null, tool: "bash", command, task: null }
  const record = snapshots.begin(call, await snapshots.take(), false)
  run()
  const ended = await snapshots.end(record, await snapshots.take(), false)
  if (ended !== undefined) await restore(ended, { refs: true })
}

interface Content {
  files: Map<string, string>
  commits: string[]
  staged: string[]
}

/** Reads everything that must not be lost: files except build output, commits of all refs, and staged content. */
function contentOf(project: string): Content {
  const files = new Map<string, string>()
  for (const folders = [""]; folders.length > 0; ) {
    const folder = folders.pop() ?? ""
    for (const entry of readdirSync(join(project, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (MADE_AGAIN.test(path)) continue
      if (entry.isDirectory()) folders.push(path)
      else files.set(path, fileAt(join(project, path)) ?? "")
    }
  }
  // Staged content that is also in a commit is not lost with the index.
  const paths = git(project, "diff", "--cached", "--name-only", "HEAD").split("\n").filter(Boolean)
  const staged = paths.length === 0 ? [] : git(project, "ls-files", "-s", "--", ...paths).split("\n")
  return { files, commits: commitsOf(project), staged }
}

function missingIn(project: string, { files, commits, staged }: Content): string[] {
  const gone = [...files]
    .filter(([path, content]) => fileAt(join(project, path)) !== content)
    .map(([path]) => path)
  const there = new Set(commitsOf(project))
  const indexed = new Set(git(project, "ls-files", "-s").split("\n"))
  return [
    ...gone,
    ...commits.filter((oid) => !there.has(oid)).map((oid) => `commit ${oid.slice(0, 8)}`),
    ...staged.filter((line) => !indexed.has(line)).map((line) => `staged ${line.split("\t")[1]}`),
  ]
}

function commitsOf(project: string): string[] {
  const stashes = git(project, "stash", "list", "--format=%H").split("\n").filter(Boolean)
  // An empty repository has no HEAD commit.
  if (git(project, "for-each-ref", "--count=1") === "")
    return git(project, "rev-list", ...stashes).split("\n")
  const head = readFileSync(join(project, ".git/HEAD"), "utf8").trim()
  const detached = head.startsWith("ref:") ? [] : [head]
  return git(project, "rev-list", "--all", ...detached, ...stashes).split("\n")
}

function fileAt(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stat?.isFile() ? readFileSync(path, "latin1") : undefined
}

/** Files that are not compared: git's folder, build output, dependencies, HiveMind's files, files that git writes itself. */
const MADE_AGAIN =
  /^(\.git|\.hivemind|node_modules|dist|build|coverage)$|^vendor\/lib\/\.git\/(index|COMMIT_EDITMSG)$/
