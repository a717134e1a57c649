import { derivedId } from "../shared/ids.ts"
import { maskAll } from "../shared/secrets/mask.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import type { HistoryFiles } from "../store/history-files.ts"
import { type Digest, digestSession } from "./extract/digest.ts"
import { createPassages, type Passage } from "./passages.ts"
import type { AgentName, FoundSession } from "./read/step.ts"

/** A past session that was read: what it taught, and where it stands. */
export interface ReadSession extends Digest {
  format: number
  key: string
  agent: AgentName
  /** The agent's id. */
  id: string
  path: string
  version: string
}

/** The same session has the same key in every run. */
export function keyOf({ agent, id }: Pick<FoundSession, "agent" | "id">): string {
  return derivedId("past session", agent, id)
}

/** What an earlier run has read of a session; undefined where it was not read, or by another version of HiveMind. */
export function readSummary(files: HistoryFiles, key: string): ReadSession | undefined {
  const found = files.readSession(key) as ReadSession | undefined
  return found?.format === FORMAT && found.key === key ? found : undefined
}

/** Reads a session in slices. */
export async function readSession(
  found: FoundSession,
): Promise<{ session: ReadSession; passages: Passage[] }> {
  const key = keyOf(found)
  const passages: Passage[] = []
  const steps = await found.open()
  const making = createPassages(key, (passage) => {
    if (passages.length < MAX_PASSAGES) passages.push(passage)
  })
  const digest = await runInSlices(
    (function* (): Pausing<Digest> {
      const made = yield* digestSession(steps, making.take)
      making.close()
      return made
    })(),
  )
  const { agent, id, path, version } = found
  const began = digest.began || found.modified
  const best = digest.candidates.toSorted((a, b) => b.worth - a.worth).slice(0, MAX_CANDIDATES)
  const about = { format: FORMAT, key, agent, id, path, version, began, ended: digest.ended || began }
  const session = { ...maskAll({ ...digest, candidates: best }), ...about }
  return { session, passages }
}

/** Changes with the rules of extraction, so that every session is read again. */
const FORMAT = 1
// Of a session of weeks; later ones are not found by `recall --history`.
const MAX_PASSAGES = 20_000
// More than are kept: some are there already, or do not hold any more.
const MAX_CANDIDATES = 12
