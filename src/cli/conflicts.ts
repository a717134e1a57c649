import type { Command } from "commander"
import { isStanding, standingConflicts } from "../graph/conflict-standing.ts"
import { describeConflict } from "../graph/conflict-words.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { Conflict } from "../schemas/conflict.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { localTime } from "../shared/time.ts"
import { settleConflict } from "../work/conflict/settle.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface ConflictsOptions {
  all?: boolean
  take?: string
}

/** What clones have written that cannot both hold: lists it, and settles one. */
export const conflictsCommand: CliCommand<ConflictsOptions> = {
  configure(command: Command) {
    command
      .argument("[settle]", "`settle` to decide one")
      .argument("[id]", "the conflict to settle: its id, or the start of it")
      .option("--take <side>", "with settle: `kept` leaves what stands, `lost` puts the other in its place")
      .option("--all", "also those that a rule or somebody has settled")
      .addHelpText("after", "\nExample: hivemind conflicts settle 1a2b3c4d --take lost")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }): Promise<CliResult> => {
      const [action, id] = input.args
      const style = styleFor(input.io.stdout, input.io.env)
      if (action !== undefined) return settle(hive, project, action, id, input.options.take)
      const { state } = hive.store.read()
      const isAll = input.options.all === true
      const conflicts = isAll ? byTime(state.conflict.values()) : standingConflicts(state)
      const shown = conflicts.map((each) => ({ ...each, ...about(each, state) }))
      const text =
        shown.length === 0
          ? "No conflicts."
          : conflicts.map((each) => render(each, state, style)).join("\n\n")
      return { data: { project, conflicts: shown }, text }
    }),
}

async function settle(
  hive: Hive,
  project: string,
  action: string,
  id: string | undefined,
  take: string | undefined,
): Promise<CliResult> {
  if (action !== "settle" || id === undefined || (take !== "kept" && take !== "lost"))
    throw wrongUsage(action, id, take)
  const caller = { tool: "hivemind conflicts", session: null, agent: null }
  const before = hive.store.read().state
  const conflict = await settleConflict(hive, caller, { conflict: id, take })
  const words = describeConflict(conflict, before)
  const open = standingConflicts(hive.store.read().state).length
  const text = [
    `Settled: ${words.record}, ${take === "kept" ? words.stands : words.lost}.`,
    open === 0 ? "No more conflicts." : `${counted(open, "conflict")} left.`,
  ].join("\n")
  return { data: { project, conflict, taken: take, open }, text }
}

function render(conflict: Conflict, state: GraphState, style: Style): string {
  const { record, happened, stands, lost, isOpen } = about(conflict, state)
  const by = (writer: string | null) => (writer === null ? "" : style("dim", ` (clone ${writer})`))
  const head = `${style("cyan", shortId(conflict.id))}  ${record}: ${happened}`
  const how = isOpen
    ? `\`hivemind conflicts settle ${shortId(conflict.id)} --take kept\`, or \`--take lost\``
    : STATUS[conflict.status]
  return [
    `${head}  ${style("dim", localTime(conflict.created_at))}`,
    `    stands: ${stands}${by(conflict.kept.writer)}`,
    `    lost:   ${lost}${by(conflict.lost.writer)}`,
    `    ${isOpen ? style("yellow", how) : style("dim", how)}`,
  ].join("\n")
}

function about(conflict: Conflict, state: GraphState) {
  return { ...describeConflict(conflict, state), isOpen: isStanding(conflict, state) }
}

function byTime(conflicts: Iterable<Conflict>): Conflict[] {
  return [...conflicts].sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))
}

function wrongUsage(action: string, id: string | undefined, take: string | undefined): HiveError {
  const given = [action, id, ...(take === undefined ? [] : ["--take", take])]
  return new HiveError({
    code: "invalid_argument",
    what: action === "settle" ? "It is not clear what to settle, or how." : `There is no "${action}" here.`,
    why: "A conflict is settled by its id, with `--take kept` or `--take lost`.",
    use_instead: "See `hivemind conflicts` for the ids; then `hivemind conflicts settle <id> --take kept`.",
    evidence: `hivemind conflicts ${given.filter((each) => each !== undefined).join(" ")}`,
  })
}

const STATUS: Record<Conflict["status"], string> = {
  noted: "settled by rule",
  open: "no longer open: the record has been changed since",
  settled: "settled",
}
