import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { REPOSITORY } from "./scratch.ts"

/** Copies the built plugin into an empty folder, with the one place of its code that matches changed. */
export function copyPlugin(into: string, from: RegExp, to: string): void {
  cpSync(join(REPOSITORY, "dist"), join(into, "dist"), { recursive: true })
  cpSync(join(REPOSITORY, "package.json"), join(into, "package.json"))
  const pieces = join(into, "dist", "pieces")
  const found = readdirSync(pieces).filter((name) => from.test(readFileSync(join(pieces, name), "utf8")))
  const [piece] = found
  if (piece === undefined || found.length > 1) throw new Error(`${found.length} pieces have ${from}`)
  const text = readFileSync(join(pieces, piece), "utf8")
  writeFileSync(
    join(pieces, piece),
    text.replace(from, () => to),
  )
}
