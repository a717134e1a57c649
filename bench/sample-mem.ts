import type { Mem } from "../src/schemas/knowledge.ts"
import { systemSource } from "../src/shared/ids.ts"
import { stampOf } from "../src/shared/stamp.ts"
import { mem as defaults } from "../test/support/record-defaults.mjs"

export interface SampleMem {
  content: string
  shelf: string
  kind: "insight" | "fact" | "pattern"
  tags: string[]
  evidence: string[]
}

/** A mem as an agent would save it, about 200 characters of text; the same for the same number. */
export function sampleMem(n: number): SampleMem {
  const random = randomFrom(n)
  // The index is always within the list.
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
  const clause = () => `the ${pick(THINGS)} of the ${pick(THINGS)} ${pick(DOINGS)} the ${pick(THINGS)}`
  return {
    content: `Seen in step ${n}: ${clause()}, because ${clause()}. Where ${clause()}, check that ${clause()}.`,
    shelf: pick(["context", "solution", "pitfall"]),
    kind: pick(["insight", "fact", "pattern"]),
    tags: [pick(THINGS), pick(THINGS)],
    evidence: [`src/${pick(THINGS)}/${pick(THINGS)}.ts`],
  }
}

/** The whole record, as `memory.save` makes it. */
export function memRecord(mem: SampleMem): Mem {
  const now = systemSource.now()
  const at = new Date(now).toISOString()
  return {
    ...defaults,
    ...mem,
    id: systemSource.newId(),
    stale_at: new Date(now + STALE_AFTER_MS).toISOString(),
    created_at: at,
    updated_at: at,
    stamp: stampOf(now),
  }
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const THINGS =
  "router session cache token parser schema worker queue client server index handler config migration cursor retry".split(
    " ",
  )
const DOINGS = "drops rewrites locks skips reads closes holds parses".split(" ")
const STALE_AFTER_MS = 72 * 3_600_000
