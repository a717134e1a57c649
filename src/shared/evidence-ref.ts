/** A file that a mem names as its evidence: `path`, `path:12`, `path:12-20`, each with or without `@hash`. */
export interface EvidenceRef {
  path: string
  /** `12` or `12-20`; empty without line numbers. */
  lines: string
  /** The first 7 to 64 digits of the file's hash; null without one. */
  hash: string | null
}

/** The parts of an evidence text. It may be prose instead of a path, so the file is not looked up. */
export function readEvidence(evidence: string): EvidenceRef {
  const hash = HASH.exec(evidence)?.[1]?.toLowerCase() ?? null
  const place = evidence.replace(HASH, "")
  const lines = LINES.exec(place)?.[1] ?? ""
  return { path: place.replace(LINES, ""), lines, hash }
}

const HASH = /@([0-9a-f]{7,64})$/i
const LINES = /(?<=.):(\d+(?:-\d+)?)$/
