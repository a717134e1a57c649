import { type FileStatusLookup, fileStatusLookup } from "../../project/document/file-status.ts"
import { line } from "../../schemas/fields.ts"
import { type Mem, readEvidence } from "../../schemas/knowledge.ts"

/** Whether the file that a mem names as evidence is unchanged; undefined if that is unknown. */
export type EvidenceCheck = (evidence: string) => boolean | undefined

/** Compares `path[:line]@hash` with the file as it is now. */
export function evidenceCheck(
  projectDir: string,
  look: FileStatusLookup = fileStatusLookup(projectDir),
): EvidenceCheck {
  return (evidence) => {
    const { path, hash } = readEvidence(evidence)
    const file = hash === null ? undefined : look(path)
    if (hash === null || file === undefined) return undefined
    return file?.hash.startsWith(hash) ?? false
  }
}

/** Appends the current content hash to each file path without one. Words, URLs and missing files stay as they are. */
export function withHashes(projectDir: string, evidence: readonly string[]): string[] {
  const look = fileStatusLookup(projectDir)
  return evidence.map((each) => {
    const { path, hash } = readEvidence(each)
    const file = hash === null ? (look(path) ?? look(each)) : null
    const hashed = file == null ? each : `${each}@${file.hash.slice(0, HASH_CHARS)}`
    return line.safeParse(hashed).success ? hashed : each
  })
}

export function changedEvidence(evidence: readonly string[], check: EvidenceCheck): string[] {
  return evidence.filter((each) => check(each) === false).map((each) => readEvidence(each).path)
}

/** Confidence for ranking, 0 to 1: halved per month of age (at least `MIN_DECAY`), and halved if an evidence file has changed. */
export function confidenceAt(
  { confidence, created_at }: Pick<Mem, "confidence" | "created_at">,
  now: number,
  isUnverified = false,
): number {
  const ageDays = Math.max(0, (now - Date.parse(created_at)) / DAY_MS)
  const decay = Math.max(MIN_DECAY, 0.5 ** (ageDays / HALF_LIFE_DAYS))
  return confidence * decay * (isUnverified ? UNVERIFIED : 1)
}

const HASH_CHARS = 16
const DAY_MS = 24 * 3_600_000
const HALF_LIFE_DAYS = 30
const MIN_DECAY = 0.3
const UNVERIFIED = 0.5
