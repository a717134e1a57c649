import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { copyPlugin } from "./plugin-copy.ts"

/** A copy of the built plugin with one place of its code changed: for faults that cannot be had otherwise. */
export function patchedPlugin(from: RegExp, to: string): string {
  const copy = mkdtempSync(join(tmpdir(), "hivemind-patched-"))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  copyPlugin(copy, from, to)
  return copy
}
