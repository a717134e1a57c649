import fs from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { drain, enqueue } from "../../src/queue/queue.ts"
import { HiveError } from "../../src/shared/error.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { listTree } from "../../src/store/files/hive-fs.ts"
import { jsonLines } from "../../src/store/files/json-lines.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { openLog, rotatingLines } from "../../src/store/files/log-file.ts"
import { quarantineFile } from "../../src/store/files/quarantine-file.ts"
import { createText } from "../../src/store/files/text-file.ts"
import { prepareArchive, settleArchive } from "../../src/views/export/archive-split.ts"
import { exportOnIdle } from "../../src/views/export/export-session.ts"
import { sessionFiles } from "../../src/views/session-file/update.ts"
import { cli, dropSandbox, makeSandbox, type Sandbox } from "../cli/harness.ts"
import { sample, trials } from "../support/effort.ts"
import { GIT_ENV, git, gitRepo } from "../support/git-repo.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { lineProcess } from "../support/line-process.ts"
import { aMem, aUsage, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "../tools/call-tool.ts"

const SESSION = "ses_1"
/** Every file outside of the project contains this word; the hive's own files contain "jose" instead. */
const MARK = "zanzibar"

let used: Sandbox
function useTestersGit(): void {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
}
beforeEach(useTestersGit)
beforeAll(async () => {
  useTestersGit()
  used = await makeSandbox()
  gitRepo(used.project)
  git(used.root, "init", "-q", "--bare", "-b", "main", "remote.git")
  git(used.project, "remote", "add", "origin", "../remote.git")
  await cli(used, ["init", "--yes", "--plugin", "hivemind-opencode"])
  const paths = hivePaths(used.project)
  createText(paths.config, "{}\n")
  createText(paths.sessionTemplate, "# {{stamp}}\n")
  const hive = await openProcess(used.project)
  await callTool(hive, "session", { action: "start", intent: "Add login" })
  await callTool(hive, "session", { action: "update", level: "action", content: "Use jose" })
  await hive.store.close()
  for (let round = 0; round < 2; round++) expect((await work(used)).errors).toEqual([])
})
afterAll(async () => {
  await dropSandbox(used)
})

/** Calls every entry point that reads or writes a hive. Returns the shown texts and the errors. */
async function work(box: Sandbox): Promise<{ shown: string; errors: unknown[] }> {
  const { project } = box
  const paths = hivePaths(project)
  let shown = ""
  const errors: unknown[] = []
  const step = async (job: () => unknown) => {
    try {
      const result = await job()
      shown += JSON.stringify(result ?? "")
    } catch (error) {
      errors.push(error)
    }
  }
  const { log, idle } = openLog(paths, systemSource.now, () => "debug")
  // More messages than one log file takes, so that the file is rotated.
  for (let n = 0; n < 70; n++) log("info", `jose ${"x".repeat(8000)}`)
  await idle()
  const hive = await openProcess(project)
  await step(() => callTool(hive, "memory", { action: "save", content: `Use jose ${systemSource.newId()}` }))
  await step(() => hive.store.append(by, (tx) => tx.count(SESSION, "calls", 1)))
  await step(() => sessionFiles(log).update(hive, SESSION))
  const caller = { session: SESSION, agent: null, tool: "test" }
  await step(() => exportOnIdle(hive, caller, async () => "jose"))
  await step(() => {
    if (hive.store.read().state.session.size === 0) return
    prepareArchive(hive, SESSION, "jose")
    settleArchive(hive, SESSION, true)
  })
  await step(() => hive.usage.add(aUsage("msg_1", { model: "jose" })))
  for (const [path, older] of [
    [paths.refusals, paths.olderRefusals],
    [paths.told, paths.olderTold],
  ] as const) {
    const lines = rotatingLines(path, older, paths.graph, 10)
    lines.add({ text: "jose" })
    await lines.idle()
    await step(() => lines.read())
  }
  const injected = jsonLines(join(paths.injected, `${SESSION}.jsonl`))
  await step(() => injected.append([{ text: "jose" }]))
  await step(() => injected.read())
  await step(() => enqueue(hive, "test", { do: "undo", entry: "jose" }))
  await step(() => drain(hive))
  await step(() =>
    quarantineFile(project).add([{ by: "test", from: systemSource.newId(), reason: "jose", original: null }]),
  )
  await step(() => hive.store.log())
  await step(() => hive.store.read())
  await hive.store.close()
  const leaving = openFileStore(project, {
    source: systemSource,
    leaving: ({ mem }) => [...mem.values()].slice(1),
  })
  await step(() => leaving.fold())
  await step(() => leaving.archive.naming("Use"))
  await leaving.close()
  for (const args of COMMANDS) {
    const { stdout, stderr } = await cli(box, args)
    shown += stdout + stderr
  }
  return { shown, errors }
}

const COMMANDS = [
  ["scan"],
  ["codemap"],
  ["dashboard", "--export"],
  ["sync", "--yes"],
  ["status"],
  ["log"],
  ["sessions"],
  ["recall", "jose"],
  ["queue"],
  ["refusals"],
  ["cost"],
  ["export", "list"],
  ["doctor", "--no-start"],
]

interface Target {
  /** The path relative to `.hivemind/`; "" for `.hivemind/` itself. */
  name: string
  isFolder: boolean
}

function targets(): Target[] {
  const { root } = hivePaths(used.project)
  const all = fs.readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => ({
    name: relative(root, join(entry.parentPath, entry.name)),
    isFolder: entry.isDirectory(),
  }))
  return [{ name: "", isFolder: true }, ...all].filter(({ name }) => !name.includes(".git/"))
}

/** Copies the used hive. Replaces one file or folder by a link to a copy outside, which contains the mark. */
async function linked({ name, isFolder }: Target, how: "link" | "dangling" | "hard link") {
  const root = await tempProject()
  for (const part of ["project", "remote.git", "home"])
    fs.cpSync(join(used.root, part), join(root, part), { recursive: true })
  const box = { root, home: join(root, "home"), project: join(root, "project") }
  const outside = join(root, "outside")
  fs.mkdirSync(outside)
  const path = join(box.project, ".hivemind", name)
  const target = join(outside, basename(path))
  fs.mkdirSync(dirname(path), { recursive: true })
  if (how === "dangling") fs.rmSync(path, { recursive: true, force: true })
  else if (fs.existsSync(path)) fs.renameSync(path, target)
  else if (isFolder) fs.mkdirSync(target)
  else fs.writeFileSync(target, "jose\n")
  for (const file of isFolder ? filesIn(target) : [target]) mark(file)
  if (how === "hard link") fs.linkSync(target, path)
  else fs.symlinkSync(target, path)
  return { box, outside }
}

function mark(file: string): void {
  if (!fs.existsSync(file)) return
  const text = fs.readFileSync(file, "utf8")
  fs.writeFileSync(file, text.includes("jose") ? text.replaceAll("jose", MARK) : `${text}\n${MARK}\n`)
}

function filesIn(folder: string): string[] {
  return listTree(folder).flatMap(({ path, isLink }) => (isLink ? [] : [path]))
}

function contents(folder: string): Record<string, string> {
  const all = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  return Object.fromEntries(
    all.map((name) => {
      const stat = fs.statSync(join(folder, name))
      return [name, stat.isFile() ? fs.readFileSync(join(folder, name), "latin1") : "folder"]
    }),
  )
}

const HOWS = ["link", "dangling", "hard link"] as const
// Files that the used hive does not have now, but that HiveMind may create.
const NEXT = ["graph/log/000004.jsonl", "state/counts.000004.jsonl", "graph/manifest.000004.json"]
const LOCKS = ["graph/.lock", "system/cmd_queue.lock", "system/cmd_queue.drain.lock"]
const RARE = ["graph/orphans.json", "system/before.json", "system/migration.json", "state/brain.000004.json"]
const FOLDERS = ["graph/v1"]

describe("no byte outside of the project changes, and nothing from there is shown or kept", () => {
  it.each(HOWS)("with any file or folder of a used hive as a %s", async (how) => {
    const more = [...NEXT, ...LOCKS, ...RARE].map((name) => ({ name, isFolder: false }))
    const all = [...targets(), ...more, ...FOLDERS.map((name) => ({ name, isFolder: true }))]
    // Folders cannot have hard links.
    const possible = all.filter(({ isFolder }) => !isFolder || how !== "hard link")
    for (const target of sample(possible, 2)) {
      const { box, outside } = await linked(target, how)
      const before = contents(outside)
      const { shown, errors } = await work(box)
      const about = `${how} at ${target.name}`
      expect(contents(outside), about).toEqual(before)
      // Git cannot create hard links, and a hard link looks like any file.
      if (how !== "hard link") {
        expect(shown, about).not.toContain(MARK)
        const kept = filesIn(join(box.project, ".hivemind")).filter((file) =>
          fs.readFileSync(file).includes(MARK),
        )
        expect(kept, about).toEqual([])
        expect(git(box.project, "log", "-p", "--all", "--text"), about).not.toContain(MARK)
      }
      // Every refusal must be an error that explains itself.
      for (const error of errors) expect(error, about).toBeInstanceOf(HiveError)
      fs.rmSync(box.root, { recursive: true })
    }
  })

  it.each(["graph/log/000001.jsonl", "state/counts.000001.jsonl", "graph/log", "state"])(
    "while another process keeps swapping %s for a link",
    async (name) => {
      const project = await tempProject()
      const store = openFileStore(project, { source: systemSource })
      await store.append(by, (tx) => tx.add("mem", aMem(1)))
      await store.append(by, (tx) => tx.count(SESSION, "calls", 1))
      const outside = await tempProject()
      const path = join(hivePaths(project).root, name)
      // HiveMind would append to a file that exists under the same name outside.
      fs.cpSync(path, join(outside, basename(name)), { recursive: true })
      const before = contents(outside)
      const swapper = lineProcess(SWAPPER, path, join(outside, basename(name)))
      await swapper.next()
      for (let n = 2; n < trials(100, 5000); n++) {
        await store
          .append(by, (tx) => {
            tx.add("mem", aMem(n))
            tx.count(SESSION, "calls", 1)
          })
          .catch(() => {}) // Saving fails as long as the link exists.
      }
      swapper.go("stop")
      expect(Number(await swapper.next())).toBeGreaterThan(10)
      await store.close()
      expect(contents(outside)).toEqual(before)
    },
  )
})

it("a log of which git tracks a sealed segment is not continued in a new one", async () => {
  const repo = gitRepo(join(await tempProject(), "repo"))
  const store = openFileStore(repo, { source: systemSource })
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  await store.fold()
  git(repo, "add", "-f", ".hivemind")
  const refused = { code: "not_writable", use_instead: expect.stringMatching(/^git rm -r -q --cached/) }
  await expect(store.append(by, (tx) => tx.add("mem", aMem(2)))).rejects.toMatchObject(refused)
  expect(fs.readdirSync(hivePaths(repo).log)).toEqual(["000001.jsonl"])
  git(repo, "rm", "-r", "-q", "--cached", ".hivemind")
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  expect([...store.read().state.mem.keys()].sort()).toEqual([1, 2].map(uuid))
  await store.close()
})

const SWAPPER = fileURLToPath(new URL("../support/link-swapper.mjs", import.meta.url))
