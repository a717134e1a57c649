import { readdirSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** Bun's binary. Where npm runs no install scripts it is only a placeholder, and the real one lies in a platform package. */
export function findBun(): string {
  const linked = createRequire(import.meta.url).resolve("bun/bin/bun.exe")
  if (isBinary(linked)) return linked
  const platforms = join(dirname(linked), "..", "..", "@oven")
  const start = `bun-${process.platform}-${process.arch}`
  for (const name of readdirSync(platforms).filter((each) => each.startsWith(start))) {
    const path = join(platforms, name, "bin", process.platform === "win32" ? "bun.exe" : "bun")
    if (isBinary(path)) return path
  }
  throw new Error("Bun is not installed: run npm ci")
}

const isBinary = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000
