/** What a mem rests on, as `path`, `path:12`, `path:12-20` or any of them with `@hash`. */
export interface EvidenceRef {
  path: string
  /** `12` or `12-20`; empty where none is named. */
  lines: string
  /** Of the whole file, its first 7 to 64 digits; null where none was taken. */
  hash: string | null
}

/** The parts of a piece of evidence. Whether there is such a file is not asked: it may be words. */
export function readEvidence(evidence: string): EvidenceRef {
  const hash = HASH.exec(evidence)?.[1]?.toLowerCase() ?? null
  const place = evidence.replace(HASH, "")
  const lines = LINES.exec(place)?.[1] ?? ""
  return { path: place.replace(LINES, ""), lines, hash }
}

const HASH = /@([0-9a-f]{7,64})$/i
const LINES = /(?<=.):(\d+(?:-\d+)?)$/
