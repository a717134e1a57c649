import { counted } from "../../shared/amounts.ts"
import { cleanText } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"
import type { FixedCost } from "../../views/context/fixed-cost.ts"
import type { Replay } from "../../views/context/replay.ts"
import type { Turn } from "../../views/context/turns.ts"
import type { Style } from "./style.ts"

/** What every request carries, in one line. */
export function fixedText({ tokens, system, tools }: FixedCost): string {
  return `every request besides: ${tokens} tokens (system prompt ${system.tokens}, ${counted(tools.each.length, "tool")} ${tools.tokens}); a provider's cache takes most of it`
}

/** Words as they were sent, set off from ours, and unable to steer the terminal. */
export function wordLines(parts: readonly string[]): string[] {
  return parts.flatMap((part) =>
    cleanText(part, MAX_WORDS)
      .split("\n")
      .map((line) => `  │ ${line}`),
  )
}

/** In the order in which the model reads it. */
export function replayText(replay: Replay, fixed: FixedCost, style: Style): string {
  const { session, turn, turns, in_sight, out_of_sight, removed, told } = replay
  const head = (text: string) => style("bold", text)
  return [
    head(`Session ${session}, turn ${turn.turn} of ${turns}, ${localTime(turn.at)}`),
    [head(`In the system prompt, ${fixed.system.tokens} tokens`), ...wordLines([fixed.system.text])].join(
      "\n",
    ),
    [
      head(`Tools, ${fixed.tools.tokens} tokens (\`--json\` has them in full)`),
      ...fixed.tools.each.map(({ name, tokens }) => `  ${name} ${tokens}`),
    ].join("\n"),
    ...(out_of_sight === 0
      ? []
      : [`${counted(out_of_sight, "earlier message")} a compaction had taken away`]),
    ...in_sight.map((earlier) => turnWords(`Still in sight from turn ${earlier.turn}`, earlier, style)),
    ...(removed.length === 0
      ? []
      : [
          [
            head(`In place of old tool output, ${removed.length} times`),
            ...wordLines([...new Set(removed.map(({ text }) => text))]),
          ].join("\n"),
        ]),
    turnWords("With the message of this turn", turn, style),
    ...told.map(({ at, kind, tool, text }) =>
      [head(`${localTime(at)} ${KINDS[kind]}${tool === null ? "" : ` ${tool}`}`), ...wordLines([text])].join(
        "\n",
      ),
    ),
    ...(told.length === 0 ? [style("dim", "Nothing of ours within the turn, or it is too long ago.")] : []),
  ].join("\n\n")
}

function turnWords(title: string, { tokens, reason, parts }: Turn, style: Style): string {
  return [style("bold", `${title}, ${tokens} tokens: ${reason}`), ...wordLines(parts)].join("\n")
}

const KINDS: Record<Replay["told"][number]["kind"], string> = {
  reply: "reply of",
  note: "note with the result of",
  warning: "warning with the result of",
  refusal: "refused:",
  compaction: "asked of a compaction",
}
const MAX_WORDS = 100_000
