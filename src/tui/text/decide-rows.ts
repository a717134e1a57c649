import type { OpenDecision } from "../../dashboard/answers/model.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { OpenConflict } from "../read/screen.ts"
import { line } from "./line.ts"
import { ago, type Row } from "./row.ts"

/** A question that agents have left to a person. */
export function decisionRow({ id, content, at, keeps }: OpenDecision, now: number, width: number): Row {
  const titles = keeps.map(({ title }) => title).join(", ")
  const facts = `open, ${ago(at, now)}${titles === "" ? "" : ` · keeps: ${titles}`}`
  return {
    of: { kind: "decision", id, content },
    whole: [content, facts],
    lines: [
      line(`? ${shorten(content, width - 2)}`, "warning"),
      line(`  ${shorten(facts, width - 2)}`, "muted"),
    ],
  }
}

/** Two clones have said different things of one record. */
export function conflictRow({ id, record, stands, lost, at }: OpenConflict, now: number, width: number): Row {
  const told = [`stands: ${stands}`, `lost: ${lost}`]
  return {
    of: { kind: "conflict", id, stands, lost },
    whole: [record, ...told, ago(at, now)],
    lines: [
      line(`≠ ${shorten(record, width - 2)}`, "warning"),
      ...told.map((each) => line(`  ${shorten(each, width - 2)}`, "muted")),
    ],
  }
}
