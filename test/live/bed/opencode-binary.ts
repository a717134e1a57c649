import { existsSync, statSync } from "node:fs"
import { join } from "node:path"

// Where install scripts are blocked, `.bin/opencode` is a stub of a few hundred bytes. The real one has over 100 MB.
const STUB_MAX_BYTES = 1_000_000

/** The installed OpenCode: the package's own link, else the platform package it is copied from. */
export function findOpencode(repository: string): string {
  const modules = join(repository, "node_modules")
  const candidates = [
    join(modules, ".bin", "opencode"),
    ...platformPackages().map((name) => join(modules, name, "bin", "opencode")),
  ]
  const found = candidates.find((path) => existsSync(path) && statSync(path).size > STUB_MAX_BYTES)
  if (!found) throw new Error(`OpenCode is not installed; looked at:\n${candidates.join("\n")}`)
  return found
}

// The baseline builds run on every processor of their kind, so they come first.
function platformPackages(): string[] {
  const base = `opencode-${process.platform}-${process.arch}`
  return [`${base}-baseline`, base, `${base}-baseline-musl`, `${base}-musl`]
}
