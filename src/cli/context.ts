import type { Command } from "commander"
import type { Dropped, ItemFacts, ItemRef } from "../context/pack/item.ts"
import { pressureOf } from "../graph/pressure.ts"
import type { Hive } from "../hive/hive.ts"
import { unreadNotice } from "../migrate/automatic.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { cleanText } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { tools } from "../tools/index.ts"
import { PROTOCOL } from "../turns/turn-transcript.ts"
import { type FixedCost, fixedCost, packedState } from "../views/context/injected.ts"
import { lastToldSession, type Replay, replayTurn, type Turn, turnsOf } from "../views/context/turns.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { windowText } from "./terminal/detail-text.ts"
import { pagedNewest } from "./terminal/listing.ts"
import { addListingOptions, type ListingOptions, timeOption } from "./terminal/options.ts"
import type { Style } from "./terminal/style.ts"

interface ContextOptions extends ListingOptions {
  session?: string
}

/**
 * Per turn: the words that were put before the model, why each item was chosen, what was dropped, and its tokens; and what
 * every request costs besides. Reads only.
 */
export const command: CliCommand<ContextOptions> = {
  configure(context: Command) {
    context.option("--session <session>", SESSION_OPTION)
    addListingOptions(context, 5).addHelpText(
      "after",
      '\nThe newest turns come on the first page; `hivemind context replay <turn>` has one with all around it.\nExample: hivemind context --session "2026-02-11 14:30"',
    )
  },

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { session: wanted, find } = input.options
      const { style } = input
      const session = await toldSession(hive, wanted)
      const turns = turnsOf(hive, session)
      const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0)
      const window = pressureOf(hive.store.read().state, session) ?? null
      const fixed = fixedCost(PROTOCOL, tools)
      const { page, note } = pagedNewest(turns, input.options, ({ parts }) => parts.join("\n"))
      const shown =
        page.total === 0 ? [`No turn with "${find}" in it.`] : page.items.map((turn) => turnText(turn, style))
      const paragraphs =
        turns.length === 0
          ? ["Nothing has been injected yet.", fixedText(fixed)]
          : [
              `Session ${session}: ${counted(turns.length, "message")}, ${tokens} tokens in all`,
              ...(window === null ? [] : [windowText(window)]),
              fixedText(fixed),
              ...shown,
              ...(note === undefined ? [] : [style("dim", note)]),
            ]
      return { data: { session, tokens, window, fixed, ...page }, text: paragraphs.join("\n\n") }
    }),
}

async function toldSession(hive: Hive, wanted: string | undefined): Promise<string | null> {
  return wanted === undefined ? lastToldSession(hive) : findHostId(hive, wanted)
}

function turnText(turn: Turn, style: Style): string {
  const { at, kind, tokens, budget, reason, parts, items, gone, dropped, pruned } = turn
  const share = kind === "none" ? "" : ` of ${budget}`
  return [
    `${turn.turn}. ${localTime(at)}  ${kind}, ${tokens}${share} tokens: ${reason}`,
    ...(gone.length > 0 ? [`  no longer so: ${gone.length}`] : []),
    ...(pruned.length > 0 ? [`  old tool output taken out: ${pruned.length}`] : []),
    ...quotedLines(parts),
    ...itemLines(items, dropped).map((line) => style("dim", line)),
  ].join("\n")
}

/** The fixed cost of every request, in one line. */
function fixedText({ tokens, system, tools: all }: FixedCost): string {
  return `every request besides: ${tokens} tokens (system prompt ${system.tokens}, ${counted(all.each.length, "tool")} ${all.tokens}); a provider's cache takes most of it`
}

/** Words as they were sent, marked as not ours, and unable to steer the terminal. */
function quotedLines(parts: readonly string[]): string[] {
  return parts.flatMap((part) =>
    cleanText(part, MAX_WORDS)
      .split("\n")
      .map((line) => `  │ ${line}`),
  )
}

/** Each item with its reason and cost, in columns, then the items left out. */
function itemLines(
  items: readonly (ItemFacts & { tokens: number })[],
  dropped: readonly Dropped[],
): string[] {
  const width = Math.max(0, ...items.map(({ section }) => section.length))
  return [
    ...items.map(
      (item) =>
        `  ${item.section.padEnd(width)}  ${String(item.tokens).padStart(4)}  ${itemName(item)}  ${item.reason}`,
    ),
    ...dropped.map(({ section, reason, count }) => `  left out  ${count} of ${section}: ${reason}`),
  ]
}

/** `mem 0a1b2c3d`, `task 0a1b2c3d next`, `warning failures`. */
function itemName({ kind, id, role, on }: ItemRef): string {
  const named = kind === "warning" ? id : shortId(id)
  const shownAs = role === kind ? "" : role
  return [kind, named, shownAs, shortId(on ?? "")].filter((part) => part !== "").join(" ")
}

interface ReplayOptions {
  session?: string
}

/** Everything HiveMind sent the model on a past turn. Reads only. */
const replayCommand: CliCommand<ReplayOptions> = {
  configure(replaying: Command) {
    replaying
      .argument("<turn>", "its number, as `hivemind context` shows it, or the id of its message")
      .option("--session <session>", SESSION_OPTION)
      .addHelpText("after", '\nExample: hivemind context replay 3 --session "2026-02-11 14:30"')
  },

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [turn = ""] = input.args
      const session = await toldSession(hive, input.options.session)
      if (session === null)
        throw new HiveError({
          code: "not_found",
          what: "There is no turn to show.",
          why: "HiveMind has sent nothing to a model in this project yet.",
          use_instead: "Start a session in OpenCode first.",
          evidence: turn,
        })
      const replay = await replayTurn(hive, session, turn)
      const fixed = fixedCost(PROTOCOL, tools)
      return { data: { ...replay, fixed }, text: replayText(replay, fixed, input.style) }
    }),
}

/** In the order in which the model reads it. */
function replayText(replay: Replay, fixed: FixedCost, style: Style): string {
  const { session, turn, turns, in_sight, out_of_sight, removed, told } = replay
  const block = (title: string, lines: readonly string[]) => [style("bold", title), ...lines].join("\n")
  const turnBlock = (title: string, { tokens, reason, parts }: Turn) =>
    block(`${title}, ${tokens} tokens: ${reason}`, quotedLines(parts))
  const removedTexts = [...new Set(removed.map(({ text }) => text))]
  return [
    block(`Session ${session}, turn ${turn.turn} of ${turns}, ${localTime(turn.at)}`, []),
    block(`In the system prompt, ${fixed.system.tokens} tokens`, quotedLines([fixed.system.text])),
    block(
      `Tools, ${fixed.tools.tokens} tokens (\`--json\` has them in full)`,
      fixed.tools.each.map(({ name, tokens }) => `  ${name} ${tokens}`),
    ),
    ...(out_of_sight === 0
      ? []
      : [`${counted(out_of_sight, "earlier message")} a compaction had taken away`]),
    ...in_sight.map((earlier) => turnBlock(`Still in sight from turn ${earlier.turn}`, earlier)),
    ...(removed.length === 0
      ? []
      : [block(`In place of old tool output, ${removed.length} times`, quotedLines(removedTexts))]),
    turnBlock("With the message of this turn", turn),
    ...told.map(({ at, kind, tool, text }) =>
      block(`${localTime(at)} ${TOLD[kind]}${tool === null ? "" : ` ${tool}`}`, quotedLines([text])),
    ),
    ...(told.length === 0
      ? [style("dim", "HiveMind sent nothing more within the turn, or the turn is too old.")]
      : []),
  ].join("\n\n")
}

interface PackOptions {
  session?: string
  asOf?: number
  explain?: boolean
}

/** Prints the block that the model would be sent in full, now or at an earlier moment. Reads only. */
const packCommand: CliCommand<PackOptions> = {
  configure(pack: Command) {
    pack
      .option("--session <session>", "as that session sees it: its time or id (default: the project)")
      .addOption(timeOption("--as-of <time>", "the state at this time"))
      .option("--explain", "with each item's reason and tokens, and the dropped items")
      .addHelpText("after", "\nExample: hivemind context pack --as-of 2h --explain")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { session: wanted, asOf, explain } = input.options
      const state = asOf === undefined ? hive.store.read().state : await hive.store.asOf(asOf)
      const session = wanted === undefined ? null : await findHostId(hive, wanted, state)
      const { xml, items, dropped, tokens } = await packedState(hive, { session, asOf })
      const older = asOf === undefined ? unreadNotice(project) : undefined
      return {
        data: {
          session,
          as_of: asOf === undefined ? null : new Date(asOf).toISOString(),
          tokens,
          xml,
          ...(explain ? { items, dropped } : {}),
          ...(older === undefined ? {} : { older_files: older }),
        },
        text: [
          xml,
          ...(explain ? ["", `${tokens} tokens`, ...itemLines(items, dropped)] : []),
          ...(older === undefined ? [] : ["", older]),
        ],
      }
    }),
}

export const views: Record<string, CliCommand> = { replay: replayCommand, pack: packCommand }

const TOLD: Record<Replay["told"][number]["kind"], string> = {
  reply: "reply of",
  note: "note with the result of",
  warning: "warning with the result of",
  refusal: "refused:",
  compaction: "asked of a compaction",
}
const SESSION_OPTION = "its time or id (default: the one that was last sent something)"
const MAX_WORDS = 100_000
