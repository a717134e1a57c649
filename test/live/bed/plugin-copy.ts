import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { REPOSITORY } from "./scratch.ts"

/** Copies the built plugin into an empty folder, with one place of its code changed. */
export function copyPlugin(into: string, file: string, from: string, to: string): void {
  cpSync(join(REPOSITORY, "dist"), join(into, "dist"), { recursive: true })
  cpSync(join(REPOSITORY, "package.json"), join(into, "package.json"))
  symlinkSync(join(REPOSITORY, "node_modules"), join(into, "node_modules"))
  const path = join(into, "dist", file)
  const text = readFileSync(path, "utf8")
  if (!text.includes(from)) throw new Error(`${file} has no "${from}"`)
  writeFileSync(path, text.replace(from, to))
}
