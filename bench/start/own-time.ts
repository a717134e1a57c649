import { findBun } from "../../test/support/bun.ts"
import { runProbe } from "../child.ts"
import { p50 } from "../figures.ts"

interface OwnTime {
  import_ms: number
  server_ms: number
}

/** What the plugin does by itself at the start, on the runtime that the host runs it on: p50 of fresh processes. */
export async function ownTime(project: string, rounds: number): Promise<OwnTime> {
  const bun = findBun()
  const found: OwnTime[] = []
  for (let round = 0; round < rounds; round++) found.push(await runProbe<OwnTime>(bun, PROBE, [project]))
  return {
    import_ms: p50(found.map((each) => each.import_ms)),
    server_ms: p50(found.map((each) => each.server_ms)),
  }
}

const PROBE = new URL("./own-time-probe.mjs", import.meta.url)
