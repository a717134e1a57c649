import { type FileLook, fileLook } from "../../project/document/file-look.ts"

/** Compares `path@hash` with the file as it is now. */
export function evidenceCheck(projectDir: string, look: FileLook = fileLook(projectDir)): EvidenceCheck {
  return (evidence) => {
    const at = evidence.lastIndexOf("@")
    const wanted = evidence.slice(at + 1).toLowerCase()
    if (at <= 0 || !/^[0-9a-f]{7,64}$/.test(wanted)) return undefined
    const file = look(evidence.slice(0, at))
    if (file === undefined) return undefined
    return file?.hash.startsWith(wanted) ?? false
  }
}

/** True if the evidence is unchanged, false if it has changed, undefined if that is unknown. */
export type EvidenceCheck = (evidence: string) => boolean | undefined
