import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openHiveIn } from "../../src/hive/open.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { beforeCall } from "../../src/turns/before-call.ts"
import { callSnapshots } from "../../src/turns/call-snapshots.ts"
import { lastMessages } from "../../src/turns/last-messages.ts"
import { isOrdinary, trialLines } from "../../test/gate/trial/lists.ts"
import { count, figure } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"
import { readRecordedSessions } from "../sessions/read-sessions.ts"
import { scratchRepository } from "./scratch-repository.ts"

/** How many commands of every day the gate refuses in `assisted`, and how many of these refusals are right. */
export const commandsSection: Section = { name: "commands", title: "Commands of every day", run }

async function run(bench: Bench): Promise<Findings> {
  const known = SETS.flatMap(({ name, read }) => {
    const commands = read()
    return commands === undefined ? [] : [{ name, commands: [...new Set(commands)] }]
  })
  if (known.length === 0) return notHere()
  const sets = [
    ...known,
    {
      name: "the trial's ordinary lines",
      commands: trialLines()
        .filter(isOrdinary)
        .map(({ command }) => command),
    },
  ]
  const refuses = await openGate(bench.folder())
  const results: Result[] = []
  for (const { name, commands } of sets) {
    bench.progress(`${commands.length} commands: ${name}`)
    const refused: Refused[] = []
    for (const command of commands) {
      const why = await refuses(command)
      if (why !== undefined) refused.push({ command, why, verdict: VERDICTS[keyOf(command)] ?? "unchecked" })
    }
    results.push({ name, total: commands.length, refused })
  }
  const right = results.flatMap(({ refused }) => refused).filter(({ verdict }) => verdict === "right").length
  const all = results.reduce((sum, { refused }) => sum + refused.length, 0)
  return {
    table: {
      head: ["", "commands", "refused", "share", "right"],
      rows: results.map(({ name, total, refused }) => [
        name,
        count(total),
        count(refused.length),
        `${figure((refused.length / total) * 100)} %`,
        count(refused.filter(({ verdict }) => verdict === "right").length),
      ]),
    },
    bars: [
      rightBar(all === 0 ? 100 : (right / all) * 100),
      {
        what: "commands refused",
        value: (all / results.reduce((sum, { total }) => sum + total, 0)) * 100,
        unit: "%",
        atMost: 1,
      },
    ],
    notes: [
      "Each is put to the gate in `assisted`, in a repository with two files that are in no commit.",
      "Refusals were checked by hand once: right is what would lose work, or reaches beyond the project.",
    ],
    list: results.flatMap(({ refused }) => refused.map(described)),
    figures: Object.fromEntries(
      results.map(({ name, total, refused }) => [name, { commands: total, refused: refused.length }]),
    ),
  }
}

interface Refused {
  command: string
  why: string
  verdict: string
}

interface Result {
  name: string
  total: number
  refused: Refused[]
}

function described({ command, why, verdict }: Refused): string {
  const lines = command.split("\n")
  return `${verdict.padEnd(9)} ${keyOf(command)}  ${why}  «${lines[0]?.slice(0, 100)}${lines.length > 1 ? " …" : ""}»`
}

/** The gate as the host calls it; answers the first line of a refusal. */
async function openGate(project: string): Promise<(command: string) => Promise<string | undefined>> {
  await scratchRepository(project)
  const source = { now: Date.now, newId: () => crypto.randomUUID() }
  const { hive } = await openHiveIn(project, {
    source,
    userConfig: null,
    options: { name: "bench", value: {} },
  })
  const log = (level: string, message: string, cause?: unknown) => {
    if (level === "error") throw new Error(message, { cause })
  }
  const gate = beforeCall(
    {
      hive: async () => hive,
      place: hive,
      directory: project,
      userHome: "/home/nobody",
      log,
      tree: callSnapshots(log, () => {}),
      lastMessages: lastMessages(),
    },
    new Map(),
  )
  let n = 0
  return async (command) => {
    // A session of its own each: one that is refused over and over is told so.
    const call = { id: `call_${n}`, session: `ses_${n++}`, agent: "build", tool: "bash", args: { command } }
    return (await gate(readCall(call)))?.split("\n")[0]
  }
}

/** The shell commands of real sessions. */
function readSessions(): string[] | undefined {
  const events = readRecordedSessions()?.flatMap((session) => session.events)
  return events?.flatMap(({ call, command }) =>
    call === "Bash" && typeof command === "string" ? [command] : [],
  )
}

/** The commands are other people's, and lie outside the repository. */
function readCommands(file: string): string[] | undefined {
  const path = fileURLToPath(new URL(`../../../shared/bench/commands/${file}`, import.meta.url))
  if (!existsSync(path)) return undefined
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
  return lines.map((line) => (JSON.parse(line) as { cmd: string }).cmd)
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
  return { what: "refusals that are right", value, unit: "%", atLeast: 90 }
}

const SETS = [
  { name: "developers' own scripts", read: () => readCommands("dev.jsonl") },
  { name: "an agent's commands", read: () => readCommands("agent.jsonl") },
  { name: "real sessions", read: readSessions },
]
const VERDICTS: Record<string, string> = JSON.parse(
  readFileSync(new URL("./verdicts.json", import.meta.url), "utf8"),
)
