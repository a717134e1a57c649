import { type RefusedCall, refusedCall } from "../../schemas/refusal.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { HivePaths } from "./layout.ts"
import { rotatingLines } from "./rotating-lines.ts"

/**
 * The refused calls of a project, `state/refusals.jsonl`. They are no part of the graph: an agent that is refused in a
 * loop must not fill the log or take its lock.
 */
export function refusalFile({ refusals, olderRefusals, graph }: HivePaths) {
  const lines = rotatingLines({ path: refusals, older: olderRefusals, graph })
  return {
    add: (refused: RefusedCall): void => lines.add(bounded(refused)),
    /** Oldest first. Lines that are no such record are skipped. */
    read: (): RefusedCall[] => lines.read().flatMap((line) => refusedCall.safeParse(line).data ?? []),
    idle: lines.idle,
  }
}

/** Masked before the texts are shortened: a secret that is cut has no shape to be known by. */
function bounded(refused: RefusedCall): RefusedCall {
  const masked = maskAll(withTexts(refused, (text) => text.slice(0, MASKED_CHARS)))
  return withTexts(masked, (text) => shorten(text, MAX_TEXT))
}

function withTexts(refused: RefusedCall, change: (text: string) => string): RefusedCall {
  const { what, why, use_instead, evidence, files, command } = refused
  return {
    ...refused,
    what: change(what),
    why: change(why),
    use_instead: change(use_instead),
    evidence: change(evidence),
    files: files.slice(0, MAX_FILES).map(change),
    command: command === null ? null : change(command),
  }
}

const MAX_TEXT = 500
const MASKED_CHARS = 8000
const MAX_FILES = 20
