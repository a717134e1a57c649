import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { ConfigLocation } from "../install/opencode-config.ts"

export interface FoundOpencode {
  path: string
  version: string
  /** Candidates before it that are there but do not run, such as the stub npm leaves when install scripts are blocked. */
  dead: string[]
}

/** The OpenCode this project's user would start: on the PATH, else installed in the project or a folder above it. */
export async function findOpencode(
  location: ConfigLocation,
): Promise<FoundOpencode | { path: null; dead: string[] }> {
  const dead: string[] = []
  for (const path of new Set(candidates(location))) {
    if (!existsSync(path)) continue
    // Asked, not guessed from its size: it may be a binary, a script that starts one, or a stub that only complains.
    const version = await versionOf(path, location.env)
    if (version !== undefined) return { path, version, dead }
    dead.push(path)
  }
  return { path: null, dead }
}

function candidates({ projectDir, home, env }: ConfigLocation): string[] {
  const onPath = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "")
  // Where its install script puts it; a shell that is not a login shell may not have that on its PATH.
  const own = join(home, ".opencode", "bin")
  const inModules = upwards(projectDir).flatMap((dir) => {
    const modules = join(dir, "node_modules")
    const packages = ["opencode-ai", ...platformPackages()].map((name) => join(modules, name, "bin"))
    return [join(modules, ".bin"), ...packages]
  })
  return [...onPath, own, ...inModules].flatMap((dir) => FILE_NAMES.map((name) => join(dir, name)))
}

function versionOf(path: string, env: ConfigLocation["env"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ["--version"], { env: { ...env }, timeout: VERSION_TIMEOUT_MS }, (error, stdout) => {
      resolve(error === null ? /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] : undefined)
    })
  })
}

function upwards(from: string): string[] {
  const parent = dirname(from)
  return parent === from ? [from] : [from, ...upwards(parent)]
}

// npm's own link is a copy of one of these. The baseline builds run on every processor of their kind.
function platformPackages(): string[] {
  const system = process.platform === "win32" ? "windows" : process.platform
  const base = `opencode-${system}-${process.arch}`
  return [`${base}-baseline`, base, `${base}-baseline-musl`, `${base}-musl`]
}

const FILE_NAMES = process.platform === "win32" ? ["opencode.exe"] : ["opencode", "opencode.exe"]
const VERSION_TIMEOUT_MS = 15_000
