import { type ScannedFiles, scannedFiles } from "../../../src/project/scan/scanned-files.ts"
import { runToEnd } from "../../../src/shared/slices.ts"

/** A project in memory: texts by path. Notes of detectors are kept in `notes`. */
export function filesIn(texts: Record<string, string>): ScannedFiles & { notes: string[] } {
  const notes: string[] = []
  const files = runToEnd(
    scannedFiles(
      Object.keys(texts).sort(),
      (path) => texts[path],
      (note) => notes.push(note),
    ),
  )
  return { ...files, notes }
}
