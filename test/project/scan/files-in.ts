import { type ScannedFiles, scannedFiles } from "../../../src/project/scan/scanned-files.ts"
import { runToEnd } from "../../../src/shared/slices.ts"

export function filesIn(texts: Record<string, string>): ScannedFiles & { notes: string[] } {
  const notes: string[] = []
  const paths = Object.keys(texts).sort()
  const files = runToEnd(
    scannedFiles({ paths, text: (path) => texts[path], note: (note) => notes.push(note) }),
  )
  return { ...files, notes }
}
