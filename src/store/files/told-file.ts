import { type Told, told } from "../../schemas/told.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import type { HivePaths } from "./layout.ts"
import { rotatingLines } from "./rotating-lines.ts"

/** What models were told within turns, `state/told.jsonl`: for people who look back, and no part of the graph. */
export function toldFile({ told: path, olderTold: older, graph }: HivePaths) {
  const lines = rotatingLines({ path, older, graph, maxBytes: MAX_BYTES })
  return {
    add: (each: Told): void => lines.add(maskAll(each)),
    /** Of a session, oldest first. Lines that are no such record are skipped. */
    read: (session: string): Told[] =>
      lines
        .read(session)
        .flatMap((line) => told.safeParse(line).data ?? [])
        .filter((each) => each.session === session),
    idle: lines.idle,
  }
}

// Replies are longer than refusals, and a session has many.
const MAX_BYTES = 2 * 1024 * 1024
