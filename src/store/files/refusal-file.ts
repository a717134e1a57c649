import { existsSync, statSync } from "node:fs"
import { appendFile, mkdir, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { type RefusedCall, refusedCall } from "../../schemas/refusal.ts"
import { createQueue } from "../../shared/queue.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { jsonLines } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"
import { isOutside } from "./outside.ts"

/**
 * The refused calls of a project, `state/refusals.jsonl`, with one older file beside it, so they never take more than
 * twice MAX_BYTES. They are no part of the graph: an agent that is refused in a loop must not fill the log or take its
 * lock. Adding never throws and never makes `.hivemind/` by itself.
 */
export function refusalFile(paths: HivePaths) {
  const queue = createQueue()

  async function append(line: string): Promise<void> {
    if (!existsSync(paths.graph) || isOutside(paths.refusals)) return
    await mkdir(dirname(paths.refusals), { recursive: true })
    const size = statSync(paths.refusals, { throwIfNoEntry: false })?.size ?? 0
    if (size > MAX_BYTES) await rename(paths.refusals, paths.olderRefusals)
    await appendFile(paths.refusals, line)
  }

  return {
    /** Not waited for: a refusal that cannot be noted is a refusal all the same. */
    add(refused: RefusedCall): void {
      const line = `\n${JSON.stringify(maskAll(bounded(refused)))}`
      queue.run(() => append(line)).catch(() => {})
    },
    /** Oldest first. Lines that are no such record are skipped. */
    read: (): RefusedCall[] =>
      [paths.olderRefusals, paths.refusals]
        .flatMap((path) => jsonLines(path).read())
        .flatMap((line) => refusedCall.safeParse(line).data ?? []),
    idle: queue.idle,
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

const MAX_BYTES = 256 * 1024
const MAX_TEXT = 500
const MAX_FILES = 20
