import { type FileLook, fileLook } from "../../project/document/file-look.ts"
import { line } from "../../schemas/fields.ts"
import { readEvidence } from "../../shared/evidence-ref.ts"

/** Compares `path[:line]@hash` with the file as it is now. */
export function evidenceCheck(projectDir: string, look: FileLook = fileLook(projectDir)): EvidenceCheck {
  return (evidence) => {
    const { path, hash } = readEvidence(evidence)
    if (hash === null) return undefined
    const file = look(path)
    if (file === undefined) return undefined
    return file?.hash.startsWith(hash) ?? false
  }
}

/** True if the evidence is unchanged, false if it has changed, undefined if that is unknown. */
export type EvidenceCheck = (evidence: string) => boolean | undefined

/**
 * The evidence with the hash of every file that is named without one: so it can be told later whether the file is still
 * what the mem was saved on. Words, addresses and files that are not there stay as they are.
 */
export function withHashes(projectDir: string, evidence: readonly string[]): string[] {
  const look = fileLook(projectDir)
  return evidence.map((each) => {
    const { path, hash } = readEvidence(each)
    const file = hash === null ? (look(path) ?? look(each)) : null
    const hashed = file == null ? each : `${each}@${file.hash.slice(0, HASH_CHARS)}`
    return line.safeParse(hashed).success ? hashed : each
  })
}

/** The files of a mem's evidence that are no longer what they were when it was saved. */
export function changedEvidence(evidence: readonly string[], check: EvidenceCheck): string[] {
  return evidence.filter((each) => check(each) === false).map((each) => readEvidence(each).path)
}

const HASH_CHARS = 16
