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
    /** Masked before it is cut and put on one line: a part of a secret has no shape to be known by. */
    add: (refused: RefusedCall): void => lines.add(bounded(maskAll(refused))),
    /** Oldest first. Lines that are no such record are skipped. */
    read: (): RefusedCall[] => lines.read().flatMap((line) => refusedCall.safeParse(line).data ?? []),
    idle: lines.idle,
  }
}

function bounded(refused: RefusedCall): RefusedCall {
  const { what, why, use_instead, evidence, command } = refused
  return {
    ...refused,
    what: shorten(what, MAX_TEXT),
    why: shorten(why, MAX_TEXT),
    use_instead: shorten(use_instead, MAX_TEXT),
    evidence: shorten(evidence, MAX_TEXT),
    files: refused.files.slice(0, MAX_FILES).map((path) => shorten(path, MAX_TEXT)),
    command: command === null ? null : shorten(command, MAX_TEXT),
  }
}

const MAX_TEXT = 500
const MAX_FILES = 20
