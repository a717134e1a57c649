import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { toRefusal } from "../../shared/error.ts"
import { upwards } from "../../shared/git-folders.ts"
import { duration } from "../../shared/time.ts"
import {
  type ConfigLocation,
  findAllActive,
  findPanel,
  type InstalledEntry,
  isPath,
} from "../install/find-opencode-config.ts"
import { ownPackage } from "../install/own-package.ts"
import type { CliIo } from "../terminal/io.ts"
import { withProgress } from "../terminal/progress.ts"
import { type Check, type Finding, ok, runCheck, skipped, trouble, warning } from "./check.ts"
import { startOpencode } from "./start-opencode.ts"

export const LOADS = "plugin loads"

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  if (major > 20 || (major === 20 && minor >= 17)) return ok(version)
  return trouble("Install Node 20.17 or newer.", `${version} is too old`)
}

export interface Installed {
  entries: InstalledEntry[]
  problem: Finding | undefined
}

export async function findInstalls(location: ConfigLocation): Promise<Installed> {
  try {
    return { entries: await findAllActive(location), problem: undefined }
  } catch (error) {
    const { what, why, use_instead, evidence } = toRefusal(error)
    return { entries: [], problem: trouble(use_instead, `${what} ${why}`, evidence) }
  }
}

export async function checkPlugin(
  installed: Installed,
  location: ConfigLocation,
  io: CliIo,
  startMs: number | null,
): Promise<Check[]> {
  const { opencode, dead } = await findOpencode(location)
  const loads = await runCheck(LOADS, () => {
    if (startMs === null) return skipped("not tried (--no-start)")
    return checkLoads(opencode, installed, location, io, startMs)
  })
  return [
    { name: "opencode", ...checkOpencode(opencode, dead) },
    { name: "plugin entry", ...checkEntry(installed, loads) },
    loads,
    { name: "panel", ...(await checkPanel(location)) },
  ]
}

function checkOpencode(found: FoundOpencode | undefined, dead: readonly string[]): Finding {
  const broken = dead.map((path) => `${path} is there, but does not run`)
  if (found === undefined) {
    const install = dead.length > 0 ? REBUILD : "Install it: `npm install -g opencode-ai`."
    return trouble(install, "not found", ...broken)
  }
  const line = `${found.version} (${found.path})`
  if (dead.length > 0) return warning(REBUILD, line, ...broken)
  if (found.major <= NEWEST_MAJOR) return ok(line)
  const mend = "If it does not load the plugin, look for a newer HiveMind."
  return warning(mend, line, `this HiveMind supports 1.x and ${NEWEST_MAJOR}.x`)
}

function checkEntry({ entries, problem }: Installed, loads: Finding): Finding {
  if (problem !== undefined) return problem
  const [first, second] = entries
  if (first === undefined) {
    // OpenCode found the plugin in a config that init does not edit: OPENCODE_CONFIG, or one in a folder above.
    if (loads.level === "ok")
      return ok("OpenCode loads the plugin from a config that `hivemind init` does not edit")
    return trouble("Run `hivemind init`.", "no OpenCode config names the plugin")
  }
  const lines = entries.map(({ file, entry }) => `"${entry.specifier}" in ${file}`)
  if (second === undefined) return ok(...lines)
  const again = "`hivemind uninstall`, then `hivemind init`"
  const mend = isForAll(second) ? "`hivemind uninstall --global`" : again
  return warning(`OpenCode's config names HiveMind more than once. To keep one entry, run ${mend}.`, ...lines)
}

async function checkPanel(location: ConfigLocation): Promise<Finding> {
  const found = await findPanel(location)
  if (found !== undefined) return ok(`"${found.entry.specifier}" in ${found.file}`)
  return skipped("not in OpenCode's sidebar; `hivemind init --panel` puts it there")
}

async function checkLoads(
  opencode: FoundOpencode | undefined,
  installed: Installed,
  { projectDir, env }: ConfigLocation,
  io: CliIo,
  timeoutMs: number,
): Promise<Finding> {
  if (opencode === undefined) return skipped("no OpenCode to start")
  const began = Date.now()
  const given = { binary: opencode.path, major: opencode.major, projectDir, env, timeoutMs }
  const result = await withProgress("Starting OpenCode, to see whether it loads HiveMind…", io, () =>
    startOpencode(given),
  )
  switch (result.outcome) {
    case "started": {
      const { isLoaded, tools, complaints } = result
      const had = tools === null ? "HiveMind active" : `${tools} HiveMind tools`
      if (isLoaded) return ok(`OpenCode started (${duration(Date.now() - began)}) and has ${had}`)
      const missing = tools === null ? "HiveMind" : "HiveMind's tools"
      return trouble(mendEntry(installed), `OpenCode started without ${missing}`, ...complaints)
    }
    case "refused":
      return trouble("Correct the reported error.", "OpenCode cannot open this project", result.message)
    case "failed":
      return trouble("Run `opencode serve` here to see more.", "OpenCode did not start", result.message)
    case "timed_out": {
      const again = "The first start downloads packages: try again, or with `--timeout 300`."
      // `duration` rounds to seconds, so short limits are formatted here: 0.1 s must not become `0 s`.
      const limit = timeoutMs < 10_000 ? `${timeoutMs / 1000} s` : duration(timeoutMs)
      return trouble(again, `OpenCode did not answer within ${limit}`, result.message)
    }
  }
}

/** Suggests the path of this copy if the entry is a package name, which OpenCode could not get from the registry. */
function mendEntry({ entries }: Installed): string {
  const byName = entries.find(({ entry }) => !isPath(entry.specifier))
  if (byName === undefined) return "Correct the entry, or run `hivemind uninstall` and `hivemind init` again."
  const flag = isForAll(byName) ? " --global" : ""
  const again = `hivemind uninstall${flag} && hivemind init${flag}`
  return `OpenCode gets "${byName.entry.specifier}" from the package registry. To load this copy: \`${again} --plugin "${ownPackage().dir}"\`.`
}

function isForAll({ scope, entry }: InstalledEntry): boolean {
  return scope === "global" && entry.projects === undefined
}

type FoundOpencode = { path: string; version: string; major: number }

/** Finds an OpenCode that runs. `dead` lists the programs that do not, such as npm's stub if install scripts were blocked. */
async function findOpencode(location: ConfigLocation) {
  const dead: string[] = []
  for (const path of new Set(candidates(location))) {
    if (!existsSync(path)) continue
    // Only running the program shows whether it works: it may be a binary, a script, or a stub that prints an error.
    const version = await versionOf(path, location.env)
    if (version !== undefined)
      return { opencode: { path, version, major: Number.parseInt(version, 10) }, dead }
    dead.push(path)
  }
  return { opencode: undefined, dead }
}

function candidates({ projectDir, home, env }: ConfigLocation): string[] {
  const onPath = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "")
  // OpenCode's install script uses this folder, but only a login shell is sure to have it on its PATH.
  const own = join(home, ".opencode", "bin")
  const inModules = [...upwards(projectDir)].flatMap((dir) => {
    const modules = join(dir, "node_modules")
    const packages = ["opencode-ai", ...platformPackages()].map((name) => join(modules, name, "bin"))
    return [join(modules, ".bin"), ...packages]
  })
  return [...onPath, own, ...inModules].flatMap((dir) => FILE_NAMES.map((name) => join(dir, name)))
}

function versionOf(path: string, env: ConfigLocation["env"]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ["--version"], { env: { ...env }, timeout: 15_000 }, (error, stdout) => {
      resolve(error === null ? /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] : undefined)
    })
  })
}

// The npm packages with OpenCode's binary. Baseline builds come first: they run on every processor of their kind.
function platformPackages(): string[] {
  const system = process.platform === "win32" ? "windows" : process.platform
  const base = `opencode-${system}-${process.arch}`
  return [`${base}-baseline`, base, `${base}-baseline-musl`, `${base}-musl`]
}

const NEWEST_MAJOR = 2
const REBUILD =
  "Its install script was blocked, or it is damaged: run `npm rebuild opencode-ai`, or reinstall it."
const FILE_NAMES = process.platform === "win32" ? ["opencode.exe"] : ["opencode", "opencode.exe"]
