import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import { accessOf } from "../knowledge/memory/access.ts"
import { flagMem, memFlag } from "../knowledge/memory/change.ts"
import { confidenceAt } from "../knowledge/memory/confidence.ts"
import { evidenceCheck } from "../knowledge/memory/evidence.ts"
import { findMem } from "../knowledge/memory/find.ts"
import { listMems } from "../knowledge/memory/list.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { rowsWith, type Style, styleFor } from "./terminal/style.ts"

interface MemoryOptions {
  shelf?: string
  reason?: string
}

/** The mems in force, one of them in full, or one taken back. */
export const memoryCommand: CliCommand<MemoryOptions> = {
  configure(command: Command) {
    command
      .addArgument(command.createArgument("[what]", "what to do (default: list)").choices(WHAT))
      .argument("[id]", "for show and flag: a mem's id, or the start of it")
      .option("--shelf <shelf>", "for list: only those on that shelf")
      .option("--reason <reason>", "for flag: why it was wrong")
      .addHelpText("after", '\nExample: hivemind memory flag 1a2b3c4d --reason "the cache hides errors"')
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const [what = "list", id] = input.args
      const style = styleFor(input.io.stdout, input.io.env)
      const { data, text } = await run(hive, what, id, input.options, style)
      return { data: { project, ...data }, text }
    }),
}

async function run(
  hive: Hive,
  what: string,
  id: string | undefined,
  { shelf, reason }: MemoryOptions,
  style: Style,
): Promise<CliResult> {
  if (what === "list") {
    const mems = listMems(hive, shelf)
    const lines = mems.map(
      (mem) =>
        `${style("bold", shortId(mem.id))} ${mem.shelf}/${mem.kind}  ${shorten(mem.content, MAX_LINE)}`,
    )
    return { data: { mems }, text: [...lines, `${counted(mems.length, "mem")} in force`].join("\n") }
  }
  if (id === undefined) throw needs(what, "the id of a mem")
  if (what === "show") {
    const { mem, isArchived } = findMem(hive, id)
    const row = rowsWith(style, 16)
    const check = evidenceCheck(hive.dir)
    const evidence = mem.evidence.map((each) => ({ evidence: each, state: stateOf(check(each)) }))
    const isUnverified = evidence.some(({ state }) => state === "changed")
    const now = confidenceAt(mem, hive.source.now(), isUnverified)
    const access = accessOf(hive.store.read().state, mem.id)
    const shown = {
      ...mem,
      evidence: evidence.map((each) => `${each.evidence}${each.state === null ? "" : ` (${each.state})`}`),
      confidence: `${mem.confidence}, now ${now.toFixed(2)}${isUnverified ? " (unverified)" : ""}`,
    }
    const fields = Object.entries(shown).flatMap(([name, value]) => row(name, valueLines(value)))
    const recalled = access.at === null ? [] : [`${counted(access.count, "time")}, last ${access.at}`]
    return {
      data: { mem, archived: isArchived, evidence, confidence: now, recalled: access },
      text: [...fields, ...row("recalled", recalled), ...row("archived", isArchived ? ["yes"] : [])].join(
        "\n",
      ),
    }
  }
  const parsed = memFlag.safeParse({ mem_id: id, reason })
  if (!parsed.success) throw needs(what, "an id of at least 8 characters, and --reason")
  const mem = await flagMem(hive, { session: null, agent: null, tool: "hivemind memory" }, parsed.data)
  return { data: { mem }, text: `${shortId(mem.id)} is a false path now: ${mem.reason ?? ""}` }
}

/** Null where it cannot be told: the evidence names no file, or no hash was taken. */
function stateOf(isSame: boolean | undefined): "verified" | "changed" | null {
  return isSame === undefined ? null : isSame ? "verified" : "changed"
}

function valueLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  return value === null ? [] : String(value).split("\n")
}

function needs(what: string, missing: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `${what} needs ${missing}.`,
    why: "It is about one mem.",
    use_instead: "`hivemind recall <words>` and `hivemind memory list` show ids.",
    evidence: `hivemind memory ${what}`,
  })
}

const WHAT = ["list", "show", "flag"]
const MAX_LINE = 160
