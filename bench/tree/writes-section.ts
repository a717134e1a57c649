import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { connect } from "../../src/hosts/connect.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { runGit } from "../../src/project/git/run-git.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { dataFile } from "../data.ts"
import { count } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"

/** Whether what an agent's commands really change ends up in a checkpoint: they are run, and every file is compared. */
export const writesSection: Section = {
  name: "writes",
  title: "Writes of an agent's commands",
  isLong: true,
  run,
}

async function run(bench: Bench): Promise<Findings> {
  const commands = readCommands()
  if (commands === undefined) return notHere()
  const project = bench.folder()
  await projectOf(project, commands)
  const agent = await openAgent(project)
  const sum = { run: 0, refused: 0, wrote: 0, files: 0, seen: 0, missed: 0, falselyTold: 0 }
  const list: string[] = []
  let before = contentOf(project)
  for (const [n, command] of commands.entries()) {
    if (n % 50 === 0) bench.progress(`${n} of ${commands.length} commands`)
    const told = await agent.bash(command)
    if (told === undefined) {
      sum.refused++
      continue
    }
    const after = contentOf(project)
    const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    )
    const changed = await withoutIgnored(project, differing)
    before = after
    const missed = changed.filter((path) => !told.includes(path))
    const wrong = told.filter((path) => !changed.includes(path))
    sum.run++
    sum.wrote += changed.length > 0 ? 1 : 0
    sum.files += changed.length
    sum.seen += changed.length - missed.length
    sum.missed += missed.length
    sum.falselyTold += wrong.length
    for (const path of missed) list.push(`missed ${path}  «${command.slice(0, 100)}»`)
    for (const path of wrong) list.push(`falsely told ${path}  «${command.slice(0, 100)}»`)
  }
  await agent.close()
  return {
    table: {
      head: [
        "run",
        "refused",
        "changed something",
        "files changed",
        "in a checkpoint",
        "missed",
        "falsely told",
      ],
      rows: [rowOf(sum)],
    },
    bars: [seenBar((sum.seen / sum.files) * 100)],
    notes: [
      "Each command is really run, in a repository with the files that the commands name, and every file compared.",
    ],
    list,
    figures: sum,
  }
}

function rowOf(
  sum: Record<"run" | "refused" | "wrote" | "files" | "seen" | "missed" | "falselyTold", number>,
) {
  return [sum.run, sum.refused, sum.wrote, sum.files, sum.seen, sum.missed, sum.falselyTold].map(count)
}

/** HiveMind on the folder, with a task at hand. A command answers which files its checkpoints name. */
async function openAgent(project: string) {
  const session = "ses_bench"
  const hivemind = connect({
    ...{ directory: project, home: "/dev/null/home", userConfig: null, options: {}, isConfig: () => false },
    ...{
      parentOf: async () => null,
      lastAnswer: async () => "",
      lastAnswers: async () => [],
      lastSummary: async () => "",
    },
    ...{ toast: async () => {}, endSession: async () => {}, startSession: async () => "" },
  })
  const tool = hivemind.tools.find(({ name }) => name === "hivemind_session")
  const allowed = async () => {}
  const running = { mayRun: allowed, mayStart: allowed, show: () => {}, signal: new AbortController().signal }
  const update = { action: "update", level: "action", content: "Work" }
  if (tool !== undefined) await hivemind.runTool(tool, { session, agent: "build", running }, update)
  const seen = new Set<string>()
  let calls = 0

  return {
    async bash(command: string): Promise<string[] | undefined> {
      const base = { id: `call_${calls++}`, session, agent: "build", tool: "bash" }
      if ((await hivemind.beforeCall(readCall({ ...base, args: { command } }))) !== undefined)
        return undefined
      const exit = await runIn(project, command)
      await hivemind.afterCall({
        ...base,
        ok: true,
        exit,
        said: "",
        isSilent: false,
        isStopped: false,
        child: null,
      })
      const store = openFileStore(project, { source: systemSource })
      const fresh = [...store.read().state.checkpoint.values()].filter(({ id }) => !seen.has(id))
      await store.close()
      for (const { id } of fresh) seen.add(id)
      return fresh.flatMap(({ files }) => files)
    },
    close: () => hivemind.close(),
  }
}

function runIn(cwd: string, command: string): Promise<number> {
  const env = { ...process.env, HOME: cwd, PATH: `${join(cwd, ".git/bin")}:${process.env["PATH"]}` }
  return new Promise((resolve) => {
    execFile("bash", ["-c", command], { cwd, env, timeout: 20_000 }, (error) =>
      resolve(error === null ? 0 : 1),
    )
  })
}

/** Caches that programs leave behind with a rule of their own that git is to ignore them. */
async function withoutIgnored(dir: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${path}\0`).join("")
  // Its exit is 1 where none is ignored.
  const output = await runGit(dir, ["check-ignore", "-z", "--stdin"], { input }).catch(() => Buffer.alloc(0))
  const ignored = new Set(output.toString("utf8").split("\0"))
  return paths.filter((path) => !ignored.has(path))
}

/** What every file holds, read anew: nothing of git's or ours is asked. */
function contentOf(dir: string): Map<string, string> {
  const found = new Map<string, string>()
  const folders = [""]
  for (const folder of folders)
    for (const name of readdirSync(join(dir, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`
      if (path === ".git" || path === ".hivemind") continue
      const stat = lstatSync(join(dir, path))
      if (stat.isDirectory()) folders.push(path)
      else if (stat.isFile())
        found.set(
          path,
          `${stat.mode & 0o100} ${createHash("sha1")
            .update(readFileSync(join(dir, path)))
            .digest("hex")}`,
        )
    }
  return found
}

/** Every file that a command names, with the text of the commands that name it: what they look for in it is there. */
async function projectOf(dir: string, commands: readonly string[]): Promise<void> {
  const texts = new Map<string, string>()
  for (const command of commands)
    for (const [path] of command.matchAll(
      /(?<![\w/.-])[\w-]+(?:\/[\w.-]+)*\.(?:py|txt|md|cfg|rst|toml|html)\b/g,
    ))
      texts.set(path, `${texts.get(path) ?? ""}${command}\n${literalsIn(command)}\n`)
  for (const [path, text] of texts) {
    if (existsSync(join(dir, path))) continue
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const git = (...args: string[]) => runGit(dir, ["-c", "user.name=x", "-c", "user.email=x@x", ...args])
  await git("init", "-q", "-b", "main")
  // Where a machine has only `python3`; in a place that is no part of the tree.
  mkdirSync(join(dir, ".git/bin"))
  writeFileSync(join(dir, ".git/bin/python"), '#!/bin/sh\nexec python3 "$@"\n', { mode: 0o755 })
  await git("add", "-A")
  await git("commit", "-q", "-m", "first")
}

/** What the strings in a command's code stand for: code looks for them in files. */
function literalsIn(command: string): string {
  const found = command.matchAll(
    /'''([\s\S]*?)'''|"""([\s\S]*?)"""|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g,
  )
  return [...found]
    .map(([, ...groups]) => groups.find((group) => group !== undefined) ?? "")
    .map((text) =>
      text.replaceAll(/\\([nt'"\\])/g, (_, c: string) => (c === "n" ? "\n" : c === "t" ? "\t" : c)),
    )
    .join("\n")
}

/** Without those that need a network. */
function readCommands(): string[] | undefined {
  const path = dataFile("commands", "agent.jsonl")
  if (!existsSync(path)) return undefined
  const lines = readFileSync(path, "utf8").split("\n")
  const commands = lines
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { cmd: string }).cmd)
  return commands.filter((command) => !/\bpip install\b/.test(command))
}

function seenBar(value: number | undefined): Bar {
  return { what: "files changed that are in a checkpoint", value, unit: "%", atLeast: 100 }
}

function notHere(): Findings {
  return {
    table: { head: [], rows: [] },
    bars: [seenBar(undefined)],
    notes: ["The commands are not here (shared/bench beside the repository): nothing was measured."],
    figures: {},
  }
}
