import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** A copy of the built plugin with one place of its code changed: for faults that cannot be had otherwise. */
export function patchedPlugin(file: string, from: string, to: string): string {
  const root = fileURLToPath(new URL("../../..", import.meta.url))
  const copy = mkdtempSync(join(tmpdir(), "hivemind-patched-"))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true })
  cpSync(join(root, "package.json"), join(copy, "package.json"))
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  const path = join(copy, "dist", file)
  const text = readFileSync(path, "utf8")
  if (!text.includes(from)) throw new Error(`${file} has no "${from}"`)
  writeFileSync(path, text.replace(from, to))
  return copy
}
