import type { Report } from "../../migrate/report.ts"
import { counted } from "../../shared/amounts.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { CliIo } from "./io.ts"
import { ERASE_LINE } from "./output.ts"
import { rowsWith, type Style } from "./style.ts"

/** What became of every source record, for a person. */
export function reportText(
  { files, sources, taken, quarantined, ignored, notes }: Report,
  style: Style,
): string[] {
  const row = rowsWith(style, WIDTH)
  const records = Object.entries(taken).map(([kind, count]) => counted(count, NAMES[kind] ?? kind))
  const more = sources.quarantined - Math.min(quarantined.length, MAX_SHOWN)
  return [
    ...row("read", [`${counted(sources.total, "source record")} in ${counted(files.length, "file")}`]),
    ...row("taken", [`${sources.taken}${records.length === 0 ? "" : `: ${records.join(", ")}`}`]),
    ...row(
      "there",
      sources.already === 0 ? [] : [`${sources.already} already, or the same thing in two files`],
    ),
    ...row("quarantine", [
      style(sources.quarantined > 0 ? "yellow" : "green", String(sources.quarantined)),
      ...quarantined
        .slice(0, MAX_SHOWN)
        .map(({ from, reason }) => `${shorten(from)}: ${shorten(reason, 160)}`),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(sources.quarantined > 0 ? ["the originals: .hivemind/graph/quarantine.jsonl"] : []),
    ]),
    ...row("left out", [
      String(sources.ignored),
      ...ignored.map(
        ({ reason, count, example }) => `${count} ${reason} ${style("dim", `(${shorten(example)})`)}`,
      ),
    ]),
    ...row(
      "changed",
      notes.map(({ note, count, example }) => `${count}: ${note} ${style("dim", `(${shorten(example)})`)}`),
    ),
  ]
}

/** How many source records have been dealt with, on a terminal; anything else sees nothing. */
export function recordProgress({ stderr }: CliIo) {
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(done: number, file: string): void {
      if (stderr.isTTY !== true || performance.now() - shownAt < EVERY_MS) return
      shownAt = performance.now()
      stderr.write(`${ERASE_LINE}${done} records, reading ${shorten(file, 60)}`)
    },
    clear(): void {
      if (shownAt > 0) stderr.write(ERASE_LINE)
      shownAt = Number.NEGATIVE_INFINITY
    },
  }
}

const WIDTH = 11
const NAMES: Readonly<Record<string, string>> = { trajectory: "read-head" }
const MAX_SHOWN = 10
const EVERY_MS = 100
