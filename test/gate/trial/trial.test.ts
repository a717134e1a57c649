import { appendFileSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type GateCall, judgeCall } from "../../../src/gate/call.ts"
import { isFolder } from "../../../src/gate/loss/on-disk.ts"
import { ownWork } from "../../../src/gate/loss/own-work.ts"
import { whatIsLost } from "../../../src/gate/loss/what-is-lost.ts"
import { refuseProtectedPaths } from "../../../src/gate/protected-paths.ts"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import type { Loss } from "../../../src/gate/shell/judgement.ts"
import { readCall } from "../../../src/hosts/opencode/calls.ts"
import { sample } from "../../support/effort.ts"
import { tempProject } from "../../support/temp-project.ts"
import { oldWork } from "./old-work.ts"

// The one table of shell commands with a verdict. "run" lists were run once, by hand, on copies of the repository.
const LISTS = {
  dirty: ["over-open-work", "hive-files", "everyday"],
  clean: ["over-commits"],
} as const
type State = keyof typeof LISTS

/** `protected`: refused because it touches HiveMind's own files. */
type Verdict = "refused" | "protected" | "passes"

for (const state of ["dirty", "clean"] as const) {
  it(`gives every command its listed verdict in a ${state} repository`, async () => {
    const { judgeText, askGit } = await gateIn(oldWork(realpathSync(await tempProject()), state), state)
    const lines = readLists(state).map((line) => ({ ...line, ...judgeText(line.command) }))
    // Equal questions have equal answers: no command runs, so the repository stays as it is.
    const answers = new Map<string, Verdict>()
    const open = lines.filter(({ verdict }) => verdict === "ask git")
    for (const { losses, question } of sampleEachKind(open))
      if (!answers.has(question)) answers.set(question, await askGit(losses))
    const wrong = lines.flatMap(({ listed, command, verdict, question }) => {
      const given = verdict === "ask git" ? answers.get(question) : verdict
      return isAsListed(listed, given) ? [] : [`${given ?? "left to git"} instead of ${listed}: ${command}`]
    })
    expect(wrong).toEqual([])
  })

  it(`lists no command twice for a ${state} repository`, () => {
    const commands = readLists(state).map(({ command }) => command)
    expect(commands.filter((command, n) => commands.indexOf(command) !== n)).toEqual([])
  })
}

/** Undefined: git decides, and the short run does not ask it about this one. The text alone must show what is protected. */
function isAsListed(listed: Verdict, given: Verdict | undefined): boolean {
  if (given === undefined) return listed !== "protected"
  return listed === given || (listed === "refused" && given === "protected")
}

/** A heading, `# <verdict>, <run or not>: <kind>`, is for the lines below it. `⏎` is a line break. */
function readLists(state: State): { listed: Verdict; command: string }[] {
  return LISTS[state].flatMap((name) => {
    const sections = readFileSync(new URL(`${name}.txt`, import.meta.url), "utf8")
      .trimEnd()
      .split("\n\n")
    return sections.flatMap((section) => {
      const [heading = "", ...commands] = section.split("\n")
      const listed = /^# (refused|protected|passes), /.exec(heading)?.[1] as Verdict | undefined
      if (listed === undefined) throw new Error(`${name}.txt has a section without a verdict: ${heading}`)
      return commands.map((line) => ({
        listed,
        command: line.replaceAll("⏎", "\n"),
      }))
    })
  })
}

/** All of them in the long run, else two of each verdict for each kind of question. */
function sampleEachKind<T extends { listed: Verdict; losses: readonly Loss[] }>(lines: readonly T[]): T[] {
  const kindOf = ({ listed, losses }: T) => [listed, ...losses.map(({ question }) => question.ask)].join(" ")
  const kinds = [...new Set(lines.map(kindOf))]
  return kinds.flatMap((kind) =>
    sample(
      lines.filter((line) => kindOf(line) === kind),
      2,
    ),
  )
}

async function gateIn(project: string, state: State) {
  const home = join(project, "../home")
  const work = ownWork(project)
  // The file system's clock ticks in steps: a file from before the session must not look younger than the session.
  const made = Date.now()
  await expect.poll(() => Date.now(), { interval: 5 }).toBeGreaterThan(made + 50)
  work.begin("s")
  // Waits until the session's start has been recorded.
  await work.isOwn("s", "x")
  if (state === "dirty") {
    writeFileSync(join(project, "src/own.ts"), "of this session\n")
    appendFileSync(join(project, "src/clean2.ts"), "of this session\n")
  }

  function judgeText(command: string) {
    const read = readCall({ id: "1", tool: "bash", args: { command }, agent: "build", session: "s" })
    const call = judgeCall(read, {
      projectDir: project,
      directory: project,
      judge: (text, cwd) => judgeCommand(text, { project, hive: project, home, cwd, isFolder }),
    })
    const losses = call.shell?.losses ?? []
    const question = JSON.stringify(losses.map((loss) => loss.question))
    return { verdict: textVerdict(call), losses, question }
  }

  async function askGit(losses: readonly Loss[]): Promise<Verdict> {
    const lost = await whatIsLost(losses, {
      project,
      home,
      isOwn: (path) => work.isOwn("s", path),
      isTaken: (path) => work.isTaken("s", path),
      isYoung: (path) => work.isYoung("s", path),
      began: work.began("s"),
    })
    return lost === undefined ? "passes" : "refused"
  }

  return { judgeText, askGit }
}

function textVerdict(call: GateCall): Verdict | "ask git" {
  try {
    refuseProtectedPaths(call)
  } catch {
    return "protected"
  }
  if (call.shell === null || call.shell.destructive !== null) return "refused"
  return call.shell.losses.length === 0 ? "passes" : "ask git"
}
