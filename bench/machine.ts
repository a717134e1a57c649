import { createRequire } from "node:module"
import { arch, availableParallelism, cpus, platform } from "node:os"

const require = createRequire(import.meta.url)

/** What the figures were measured on: no names, no paths. */
export function machineLine(): string {
  const parts = [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"})`,
    `${platform()} ${arch()}`,
    `Node ${process.versions.node}`,
    `Bun ${versionOf("bun")}`,
    `OpenCode ${versionOf("opencode-ai")}`,
  ]
  return parts.join(", ")
}

export function versionOf(name: string): string {
  const { version }: { version: string } = require(`${name}/package.json`)
  return version
}
