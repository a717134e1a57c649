import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { killTree } from "./process-tree.ts"

// Vitest ends a worker within half a second, too short to end a host and remove its folders. So the main process does it,
// from notes of the workers.
const NOTES = "HIVEMIND_TEST_HOSTS"

/** Vitest's global setup; the function it returns runs after the last test. */
export default function setup(): () => void {
  const notes = mkdtempSync(join(tmpdir(), "hivemind-hosts-"))
  process.env[NOTES] = notes
  return () => {
    const left = readdirSync(notes).map((name): Note => JSON.parse(readFileSync(join(notes, name), "utf8")))
    for (const { pid } of left) if (pid !== undefined) killTree({ pid })
    for (const { folder } of left) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    rmSync(notes, { recursive: true, force: true })
  }
}

interface Note {
  folder: string
  pid?: number | undefined
}

export function noteFolder(note: Note): void {
  const path = noteOn(note.folder)
  if (path !== undefined) writeFileSync(path, JSON.stringify(note))
}

export function forgetFolder(folder: string): void {
  const path = noteOn(folder)
  if (path !== undefined) rmSync(path, { force: true })
}

function noteOn(folder: string): string | undefined {
  const notes = process.env[NOTES]
  return notes === undefined ? undefined : join(notes, basename(folder))
}
