import type { Dropped, ItemFacts, ItemRef } from "../context/pack/item.ts"
import { pressureOf } from "../graph/pressure.ts"
import type { Hive } from "../hive/hive.ts"
import { unreadNotice } from "../migrate/automatic.ts"
import { counted } from "../shared/amounts.ts"
import { shortId } from "../shared/ids.ts"
import { cleanText } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { tools } from "../tools/index.ts"
import { PROTOCOL } from "../turns/turn-transcript.ts"
import { type FixedCost, fixedCost, packedState } from "../views/context/injected.ts"
import { lastToldSession, type Replay, replayTurn, type Turn, turnsOf } from "../views/context/turns.ts"
import { findHostId, noSessionYet } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { windowText } from "./terminal/detail-text.ts"
import { pagedNewest } from "./terminal/listing.ts"
import { addListingOptions, type ListingOptions, timeOption } from "./terminal/options.ts"
import type { Style } from "./terminal/style.ts"

export const command: CliCommand<ListingOptions & { session?: string }> = {
  configure(context) {
    context.option("--session <session>", SESSION_OPTION)
    addListingOptions(context, 5)
  },

  help: `The first page has the newest turns. \`hivemind context replay <turn>\` shows all that was sent on one turn.
Example: hivemind context --session "2026-02-11 14:30"`,

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
        page.total === 0 ? [`No turn contains "${find}".`] : page.items.map((turn) => turnText(turn, style))
      const title = `Session ${session}: ${counted(turns.length, "message")}, ${tokens} tokens sent by HiveMind`
      const paragraphs =
        turns.length === 0
          ? ["Nothing has been sent to a model yet.", fixedText(fixed)]
          : [title, window && windowText(window), fixedText(fixed), ...shown, note && style("dim", note)]
      return { data: { session, tokens, window, fixed, ...page }, text: textLines(paragraphs).join("\n\n") }
    }),
}

async function toldSession(hive: Hive, wanted: string | undefined): Promise<string | null> {
  return wanted === undefined ? lastToldSession(hive) : findHostId(hive, wanted)
}

function turnText(turn: Turn, style: Style): string {
  const { at, kind, tokens, budget, reason, parts, items, gone, dropped, pruned } = turn
  const share = kind === "none" ? "" : ` of ${budget}`
  return textLines([
    `${turn.turn}. ${localTime(at)}  ${kind}, ${tokens}${share} tokens: ${reason}`,
    gone.length > 0 && `  withdrawn, because no longer true: ${counted(gone.length, "item")}`,
    pruned.length > 0 && `  old tool output removed: ${pruned.length}`,
    ...quotedLines(parts),
    ...itemLines(items, dropped).map((line) => style("dim", line)),
  ]).join("\n")
}

function fixedText({ tokens, system, tools: all }: FixedCost): string {
  return `Each request also has ${tokens} tokens of HiveMind (system prompt ${system.tokens}, ${counted(all.each.length, "tool")} ${all.tokens}), most of them read from the provider's cache.`
}

function quotedLines(parts: readonly string[]): string[] {
  return parts.flatMap((part) =>
    cleanText(part, 100_000)
      .split("\n")
      .map((line) => `  │ ${line}`),
  )
}

type ShownItem = ItemFacts & { tokens: number }

function itemLines(items: readonly ShownItem[], dropped: readonly Dropped[]): string[] {
  const width = Math.max(0, ...items.map(({ section }) => section.length))
  const itemLine = ({ section, tokens, reason, ...item }: ShownItem) =>
    `  ${section.padEnd(width)}  ${String(tokens).padStart(4)}  ${itemName(item)}  ${reason}`
  return [
    ...items.map(itemLine),
    ...dropped.map(({ section, reason, count }) => `  left out  ${count} of ${section}: ${reason}`),
  ]
}

function itemName({ kind, id, role, on }: ItemRef): string {
  const named = kind === "warning" ? id : shortId(id)
  const shownAs = role === kind ? "" : role
  return [kind, named, shownAs, shortId(on ?? "")].filter(Boolean).join(" ")
}

const replayCommand: CliCommand<{ session?: string }> = {
  configure(replaying) {
    replaying
      .argument("<turn>", "the turn's number in `hivemind context`, or the id of its message")
      .option("--session <session>", SESSION_OPTION)
  },

  help: 'Example: hivemind context replay 3 --session "2026-02-11 14:30"',

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [turn = ""] = input.args
      const session = await toldSession(hive, input.options.session)
      if (session === null) throw noSessionYet("There is no turn to show.", turn)
      const replay = await replayTurn(hive, session, turn)
      const fixed = fixedCost(PROTOCOL, tools)
      return { data: { ...replay, fixed }, text: replayText(replay, fixed, input.style) }
    }),
}

function replayText(replay: Replay, fixed: FixedCost, style: Style): string {
  const { session, turn, turns, in_sight, out_of_sight, removed, told } = replay
  const block = (title: string, lines: readonly string[]) => [style("bold", title), ...lines].join("\n")
  const turnBlock = (title: string, { tokens, reason, parts }: Turn) =>
    block(`${title}, ${tokens} tokens: ${reason}`, quotedLines(parts))
  const removedTexts = [...new Set(removed.map(({ text }) => text))]
  return textLines([
    block(`Session ${session}, turn ${turn.turn} of ${turns}, ${localTime(turn.at)}`, []),
    block(`In the system prompt, ${fixed.system.tokens} tokens`, quotedLines([fixed.system.text])),
    block(
      `Tools, ${fixed.tools.tokens} tokens (\`--json\` shows them in full)`,
      fixed.tools.each.map(({ name, tokens }) => `  ${name} ${tokens}`),
    ),
    out_of_sight > 0 && `${counted(out_of_sight, "earlier message")} removed by a compaction`,
    ...in_sight.map((earlier) => turnBlock(`Still visible from turn ${earlier.turn}`, earlier)),
    removed.length > 0 &&
      block(`Note in place of old tool output, ${removed.length} times`, quotedLines(removedTexts)),
    turnBlock("Sent with the message of this turn", turn),
    ...told.map(({ at, kind, tool, text }) =>
      block(`${localTime(at)} ${TOLD[kind]}${tool === null ? "" : ` ${tool}`}`, quotedLines([text])),
    ),
    told.length === 0 && style("dim", "No other text that HiveMind sent during this turn is on record."),
  ]).join("\n\n")
}

const packCommand: CliCommand<{ session?: string; asOf?: number; explain?: boolean }> = {
  configure(pack) {
    pack
      .option(
        "--session <session>",
        "the state that this session is sent: its time or id (default: the project's)",
      )
      .addOption(timeOption("--as-of <time>", "the state at this time"))
      .option("--explain", "also show each item's reason and tokens, and the dropped items")
  },

  help: "Example: hivemind context pack --as-of 2h --explain",

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { session: wanted, asOf, explain } = input.options
      const state = asOf === undefined ? hive.store.read().state : await hive.store.asOf(asOf)
      const session = wanted === undefined ? null : await findHostId(hive, wanted, state)
      const { xml, items, dropped, tokens } = await packedState(hive, { session, asOf })
      const older = asOf === undefined ? unreadNotice(project) : undefined
      const as_of = asOf === undefined ? null : new Date(asOf).toISOString()
      return {
        data: {
          ...{ session, as_of, tokens, xml },
          ...(explain && { items, dropped }),
          ...(older !== undefined && { older_files: older }),
        },
        text: [
          xml,
          ...(explain ? ["", `${tokens} tokens`, ...itemLines(items, dropped)] : []),
          older && `\n${older}`,
        ],
      }
    }),
}

export const views: Record<string, CliCommand> = { replay: replayCommand, pack: packCommand }

const TOLD: Record<Replay["told"][number]["kind"], string> = {
  reply: "reply of",
  note: "note added to the result of",
  warning: "warning added to the result of",
  refusal: "refused:",
  compaction: "instructions for a compaction",
}
const SESSION_OPTION = "the session's time or id (default: the last one that HiveMind sent something)"
