import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { NO_USER_WORK, type UserWork } from "../../src/gate/destructive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { runGit } from "../../src/project/git/run-git.ts"
import { beforeCall } from "../../src/turns/before-call.ts"
import { callSnapshots } from "../../src/turns/call-snapshots.ts"
import { lastMessages } from "../../src/turns/user-message.ts"
import { isOrdinary, trialLines, USERS_FILES } from "../../test/gate/trial/lists.ts"
import { dataFile } from "../data.ts"
import { count, figure } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"
import { readRecordedSessions } from "../sessions/read-sessions.ts"

/** How many everyday commands the gate refuses in `assisted`, and whether each refusal is right by the design. */
export const commandsSection: Section = { name: "commands", title: "Everyday commands", run }

async function run(bench: Bench): Promise<Findings> {
  const real = SETS.flatMap(({ name, read }) => {
    const commands = read()
    return commands === undefined ? [] : [{ name, commands, atMost: 0.5 }]
  })
  if (real.length === 0) return notHere()
  const ask = await openGate(bench.folder())
  const results: Result[] = []
  for (const { name, commands, atMost } of [...real, { name: TRIAL, commands: trialCommands(), atMost: 1 }]) {
    bench.progress(`${commands.length} commands: ${name}`)
    const refused: Refused[] = []
    for (const { text, message, work } of commands) {
      const why = await ask(text, work, "")
      if (why === undefined) continue
      const isAsked = message !== "" && (await ask(text, work, message)) === undefined
      refused.push({ text, why, isAsked, ...(VERDICTS[keyOf(text)] ?? { verdict: "unchecked", reason: "" }) })
    }
    results.push({ name, atMost, total: commands.length, refused })
  }
  const all = results.flatMap(({ refused }) => refused.filter(({ isAsked }) => !isAsked))
  const right = all.filter(({ verdict }) => verdict === "right").length
  return {
    table: {
      head: ["", "commands", "refused", "with the user's word", "share", "right"],
      rows: results.map(({ name, total, refused }) => [
        name,
        count(total),
        count(refused.length),
        count(refusedAfterAll(refused)),
        `${figure((refusedAfterAll(refused) / total) * 100)} %`,
        count(refused.filter(({ verdict, isAsked }) => verdict === "right" && !isAsked).length),
      ]),
    },
    bars: [
      rightBar(all.length === 0 ? 100 : (right / all.length) * 100),
      ...results.map(({ name, atMost, total, refused }) => ({
        what: `refused: ${name}`,
        value: (refusedAfterAll(refused) / total) * 100,
        unit: "%",
        atMost,
      })),
    ],
    notes: [
      "Each is put to the gate in `assisted`, where the user has uncommitted files and a stash and a snapshot covers the call.",
      "In real sessions the user's last message before the command is counted: what it asks for passes.",
      "Verdicts were given by reading each command: right is what the design lists as refused.",
    ],
    list: results.flatMap(({ refused }) => refused.map(described)),
    figures: Object.fromEntries(
      results.map(({ name, total, refused }) => [
        name,
        { commands: total, refused: refused.length, refused_with_users_word: refusedAfterAll(refused) },
      ]),
    ),
  }
}

interface Command {
  text: string
  /** The user's last message before it; "" where that is not known. */
  message: string
  work: UserWork
}

interface Refused extends Verdict {
  text: string
  why: string
  /** The user's last message lets it pass. */
  isAsked: boolean
}

interface Verdict {
  verdict: string
  reason: string
}

interface Result {
  name: string
  atMost: number
  total: number
  refused: Refused[]
}

function refusedAfterAll(refused: readonly Refused[]): number {
  return refused.filter(({ isAsked }) => !isAsked).length
}

function described({ text, why, verdict, reason, isAsked }: Refused): string {
  const lines = text.split("\n")
  const asked = isAsked ? "passes by the user's word  " : ""
  return `${verdict.padEnd(9)} ${keyOf(text)}  ${asked}${why}  ${reason}  «${lines[0]?.slice(0, 100)}${lines.length > 1 ? " …" : ""}»`
}

/** The gate as the host calls it; answers the first line of a refusal. What the user has at risk is given, not looked up. */
async function openGate(project: string) {
  await runGit(project, ["init", "-q", "-b", "my-branch"])
  const source = { now: Date.now, newId: () => crypto.randomUUID() }
  const { hive } = await openHiveIn(project, {
    source,
    userConfig: null,
    options: { name: "bench", value: {} },
  })
  const log = (level: string, message: string, cause?: unknown) => {
    if (level === "error") throw new Error(message, { cause })
  }
  const messages = lastMessages()
  let atRisk = TWO_FILES
  const gate = beforeCall(
    {
      hive: async () => hive,
      place: hive,
      directory: project,
      userHome: "/home/nobody",
      log,
      tree: { ...callSnapshots(log, () => {}), begin: async () => {}, atRisk: async () => atRisk },
      lastMessages: messages,
    },
    new Map(),
  )
  let n = 0
  return async (command: string, work: UserWork, message: string): Promise<string | undefined> => {
    atRisk = work
    // A session of its own each: one that is refused over and over is told so.
    const session = `ses_${n++}`
    messages.note(session, message)
    const call = { id: `call_${n}`, session, agent: "build", tool: "bash", args: { command } }
    return (await gate(readCall(call)))?.split("\n")[0]
  }
}

/** Every shell command of the recorded sessions. */
function readSessions(): Command[] | undefined {
  return readRecordedSessions()?.flatMap(({ events }) => {
    let message = ""
    return events.flatMap(({ call, command, user }) => {
      message = user ?? message
      const isShell = call === "Bash" && typeof command === "string"
      return isShell ? [{ text: command, message, work: TWO_FILES }] : []
    })
  })
}

/** The commands are other people's, and lie outside the repository. */
function readCommands(file: string): Command[] | undefined {
  const path = dataFile("commands", file)
  if (!existsSync(path)) return undefined
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
  const commands = new Set(lines.map((line) => (JSON.parse(line) as { cmd: string }).cmd))
  return [...commands].map((text) => ({ text, message: "", work: TWO_FILES }))
}

/** Those about lost commits are for a repository without uncommitted files. */
function trialCommands(): Command[] {
  const { changed, untracked, ignored } = USERS_FILES
  const dirty = { ...userFiles(changed, untracked, ignored), hasUsersStash: true }
  return trialLines()
    .filter(isOrdinary)
    .map(({ command, list }) => ({
      text: command,
      message: "",
      work: list === "over-commits" ? NO_USER_WORK : dirty,
    }))
}

function userFiles(changed: string[], untracked: string[], ignored: string[]): UserWork {
  return {
    ...NO_USER_WORK,
    usersFiles: new Set([...changed, ...untracked]),
    untracked: new Set(untracked),
    ignored: new Set(ignored),
  }
}

function keyOf(command: string): string {
  return createHash("sha256").update(command).digest("hex").slice(0, 12)
}

function notHere(): Findings {
  return {
    table: { head: [], rows: [] },
    bars: [rightBar(undefined)],
    notes: ["The commands are not here (shared/bench beside the repository): nothing was measured."],
    figures: {},
  }
}

function rightBar(value: number | undefined): Bar {
  return { what: "refusals that are right", value, unit: "%", atLeast: 100 }
}

const SETS = [
  { name: "developers' own scripts", read: () => readCommands("dev.jsonl") },
  { name: "an agent's commands", read: () => readCommands("agent.jsonl") },
  { name: "real sessions", read: readSessions },
]
const TRIAL = "the trial's ordinary lines"
const TWO_FILES: UserWork = { ...userFiles(["src/app.ts"], ["src/draft.ts"], []), hasUsersStash: true }
/** By the command's hash. */
const VERDICTS: Record<string, Verdict> = JSON.parse(
  readFileSync(new URL("./verdicts.json", import.meta.url), "utf8"),
)
