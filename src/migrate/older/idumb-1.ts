import { madeOf, objectFrom, piecesOf, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import type { JsonItem } from "../json-stream.ts"
import { anchorFound } from "./anchors.ts"
import { type Known, olderId } from "./known.ts"
import { pastMem } from "./mems.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** What `state.json` of iDumb 1 holds: anchors in one list, a history, and the phase it was in. */
export function* readHistory(
  file: OldFile,
  item: Extract<JsonItem, { value: unknown }>,
  known: Known,
): Generator<Found, void, void> {
  const from = placeIn(file, item.key, item.index)
  if (item.key === "anchors") yield anchorFound(from, item.value, file.at, known)
  else if (item.key === "history") yield eventFound(from, item.value, file.at)
  else if (item.key === "phase" && textFrom(item.value) !== undefined)
    yield anchorFound(from, { key: "phase", value: item.value, type: "phase" }, file.at, known)
  else yield { from, ignore: "a setting that nothing here needs" }
}

/** What happened: recall finds it, and no turn is shown it. */
function eventFound(from: string, value: unknown, at: string): Found {
  const event = objectFrom(value)
  const made = madeOf({ created: event?.["timestamp"] ?? event?.["at"] ?? event?.["createdAt"] }, at)
  const text = event === undefined ? textFrom(value) : eventText(event)
  if (text === undefined) return { from, quarantine: "an entry without words", original: value }
  const [content] = piecesOf(text)
  const record = pastMem({
    id: olderId("history", made.created_at, content),
    content,
    shelf: "history",
    ...made,
  })
  return { from, take: [{ kind: "mem", record }] }
}

function eventText(event: Record<string, unknown>): string | undefined {
  const words = ["action", "event", "summary", "description", "message", "result", "agent"].flatMap(
    (name) => {
      const text = textFrom(event[name])
      return text === undefined ? [] : [name === "agent" ? `(${text})` : text]
    },
  )
  if (words.length > 0) return words.join(" — ")
  return Object.keys(event).length > 0 ? JSON.stringify(event) : undefined
}
