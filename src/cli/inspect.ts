import type { Command } from "commander"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { isMemKey } from "../knowledge/memory/access.ts"
import { HiveError } from "../shared/error.ts"
import { runInSlices } from "../shared/slices.ts"
import { findDriftBegin } from "../views/context/drift-began.ts"
import { inspectDeep } from "../views/inspect/deep.ts"
import { inspectScan } from "../views/inspect/scan.ts"
import { acknowledge } from "../watch/acknowledge.ts"
import { driftReport } from "../watch/drift-report.ts"
import { findSession, newestSessions } from "./project/find-session.ts"
import { withOldMems } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { driftBeganText } from "./terminal/drift-began-text.ts"
import { deepText, driftText, scanText } from "./terminal/inspect-text.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface InspectOptions {
  session?: string
  acknowledge?: string
  bisect?: boolean
}

/** What needs a look, one record and all around it, or how a session is doing. Reads only, but for `--acknowledge`. */
export const inspectCommand: CliCommand<InspectOptions> = {
  configure(command: Command) {
    command
      .addArgument(command.createArgument("[what]", "what to look at (default: scan)").choices(WHAT))
      .argument("[id]", "for deep: a record's id or the start of it, or the stamp of a session")
      .option("--session <session>", "as that session sees it: its stamp or id (default: the project)")
      .option("--acknowledge <signal>", "for drift: quiet that warning; the newest session's by default")
      .option("--bisect", "for drift: the turn where it began, and what happened there")
      .addHelpText("after", "\nExample: hivemind inspect deep 1a2b3c4d")
  },

  run: (input) =>
    withOldMems(input, async ({ project, hive }) => {
      const [what = "scan", id] = input.args
      const { session, acknowledge: signal, bisect = false } = input.options
      if (id !== undefined && what !== "deep") throw notWith(what, `the id ${id}`, "deep")
      if (signal !== undefined && what !== "drift") throw notWith(what, "--acknowledge", "drift")
      if (bisect && what !== "drift") throw notWith(what, "--bisect", "drift")
      const host = session === undefined ? null : hostIdOf(hive.store.read().state, session)
      const style = styleFor(input.io.stdout, input.io.env)
      const { data, text } = await inspect(hive, what, { host, id, signal, bisect, style })
      return { data: { project, ...data }, text }
    }),
}

interface InspectInput {
  host: string | null
  id: string | undefined
  signal: string | undefined
  bisect: boolean
  style: Style
}

async function inspect(
  hive: Hive,
  what: string,
  { host, id, signal, bisect, style }: InspectInput,
): Promise<CliResult> {
  if (what === "deep") {
    const deep = await inspectDeep(hive, host, id)
    return { data: { ...deep }, text: deepText(deep, style) }
  }
  if (what === "drift") {
    const { state } = hive.store.read()
    const session =
      host ??
      newestSessions(state)[0]?.host_id ??
      [...state.metrics.keys()].filter((key) => !isMemKey(key)).at(-1) ??
      null
    if (signal !== undefined) await acknowledgeWarning(hive, session, signal)
    if (bisect && session !== null) {
      const found = await findDriftBegin(hive, session)
      return { data: { ...found }, text: driftBeganText(found, hive.store.read().state, style) }
    }
    const report = driftReport(hive, session)
    return { data: { ...report }, text: driftText(report, style) }
  }
  const scan = await runInSlices(inspectScan(hive, host))
  return { data: { ...scan }, text: scanText(scan, style) }
}

/** Where a session has done nothing yet that the graph keeps, its calls and stopped turns are counted all the same. */
function hostIdOf(state: GraphState, wanted: string): string {
  return state.metrics.has(wanted) ? wanted : findSession(state, wanted).host_id
}

async function acknowledgeWarning(hive: Hive, session: string | null, signal: string): Promise<void> {
  if (session !== null) return acknowledge(hive, { session, agent: null, tool: "hivemind inspect" }, signal)
  throw new HiveError({
    code: "not_found",
    what: "There is no warning to acknowledge.",
    why: "Warnings are about a session, and there has been none yet.",
    use_instead: "Nothing: start OpenCode in this project first.",
    evidence: `--acknowledge ${signal}`,
  })
}

function notWith(what: string, given: string, instead: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `${what} does not take ${given}.`,
    why: `That belongs to \`hivemind inspect ${instead}\`.`,
    use_instead: `Use \`hivemind inspect ${instead}\`, or leave it out.`,
    evidence: `hivemind inspect ${what}`,
  })
}

const WHAT = ["scan", "deep", "drift"]
