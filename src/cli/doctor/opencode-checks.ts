import { toRefusal } from "../../shared/error.ts"
import { duration } from "../../shared/time.ts"
import {
  type ConfigLocation,
  type ConfigScope,
  configFiles,
  type FoundConfig,
  findInstalled,
  readConfigs,
} from "../install/opencode-config.ts"
import { ownPackage } from "../install/own-package.ts"
import { findPanel } from "../install/panel-config.ts"
import { isPath } from "../install/plugin-specifier.ts"
import type { CliIo } from "../terminal/io.ts"
import { withProgress } from "../terminal/progress.ts"
import { type Check, ok, skipped, trouble, warning } from "./check.ts"
import { type FoundOpencode, findOpencode } from "./opencode-binary.ts"
import { askForTools } from "./opencode-tools.ts"

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  if (major > 20 || (major === 20 && minor >= 17)) return ok("node", version)
  return trouble("node", "Install Node 20.17 or newer.", `${version} is too old`)
}

/** The configs that name the plugin, or why they cannot be read. */
export interface Installed {
  entries: { scope: ConfigScope; file: string; specifier: string; text: string }[]
  problem: Check | undefined
}

export async function findInstalls(location: ConfigLocation): Promise<Installed> {
  const entries: Installed["entries"] = []
  for (const scope of ["project", "global"] as const) {
    let found: FoundConfig[]
    try {
      found = await readConfigs(configFiles(scope, location))
    } catch (error) {
      const { what, why, use_instead, evidence } = toRefusal(error)
      const problem = trouble(CONFIG, use_instead, `${what} ${why}`, evidence)
      return { entries, problem }
    }
    const installed = findInstalled(scope, found)
    const text = found.find(({ file }) => file === installed?.file)?.text ?? ""
    if (installed !== undefined) entries.push({ scope, ...installed, text })
  }
  return { entries, problem: undefined }
}

/** `loads`: what a real start has shown, if there was one. */
export function checkInstalls({ entries, problem }: Installed, loads: Check): Check {
  if (problem !== undefined) return problem
  const [first, second] = entries
  if (first === undefined) {
    // By OPENCODE_CONFIG, a folder above, or another way that is the user's own.
    if (loads.level === "ok") return ok(CONFIG, "OpenCode loads the plugin from a config of its own")
    return trouble(CONFIG, "Run `hivemind init`.", "no config of OpenCode's names the plugin")
  }
  const lines = entries.map(({ file, specifier }) => `"${specifier}" in ${file}`)
  if (second === undefined) return ok(CONFIG, ...lines)
  return warning(CONFIG, `One is enough: \`hivemind uninstall${flag(second.scope)}\`.`, ...lines)
}

/** Nobody needs it: it is mentioned. */
export async function checkPanel(location: ConfigLocation): Promise<Check> {
  const found = await findPanel(location)
  if (found === undefined)
    return skipped(PANEL, "not in OpenCode's sidebar; `hivemind init --panel` puts it there")
  return ok(PANEL, `"${found.specifier}" in ${found.file}`)
}

export async function checkOpencode(
  location: ConfigLocation,
): Promise<{ check: Check; opencode: FoundOpencode | undefined }> {
  const found = await findOpencode(location)
  const dead = found.dead.map((path) => `${path} is there, but does not run`)
  if (found.path === null) {
    const install = found.dead.length > 0 ? REBUILD : "Install it: `npm install -g opencode-ai`."
    return { check: trouble(OPENCODE, install, "not found", ...dead), opencode: undefined }
  }
  const line = `${found.version} (${found.path})`
  if (found.dead.length > 0) return { check: warning(OPENCODE, REBUILD, line, ...dead), opencode: found }
  if (majorOf(found) > NEWEST_MAJOR) {
    const check = warning(
      OPENCODE,
      "If it does not load the plugin, look for a newer HiveMind.",
      line,
      `made for 1.x and ${NEWEST_MAJOR}.x`,
    )
    return { check, opencode: found }
  }
  return { check: ok(OPENCODE, line), opencode: found }
}

/** Starts OpenCode with the user's own config in the project's folder and asks for its tools. */
export async function checkLoads(
  opencode: FoundOpencode | undefined,
  installed: Installed,
  { projectDir, env }: ConfigLocation,
  io: CliIo,
  timeoutMs: number,
): Promise<Check> {
  if (opencode === undefined) return skipped(LOADS, "no OpenCode to start")
  const mend = mendEntry(installed)
  const started = Date.now()
  const answer = await withProgress("Starting OpenCode, to see whether it loads HiveMind…", io, () =>
    askForTools({ binary: opencode.path, major: majorOf(opencode), projectDir, env, timeoutMs }),
  )
  switch (answer.outcome) {
    case "answered": {
      const tools = answer.tools.filter((tool) => tool.startsWith("hivemind_"))
      const time = duration(Date.now() - started)
      if (tools.includes("hivemind_session"))
        return ok(LOADS, `OpenCode started (${time}) and has ${tools.length} HiveMind tools`)
      return trouble(LOADS, mend, "OpenCode started without HiveMind's tools", ...answer.complaints)
    }
    case "told":
      return answer.isActive
        ? ok(LOADS, `OpenCode started (${duration(Date.now() - started)}) and has HiveMind active`)
        : trouble(LOADS, mend, "OpenCode started without HiveMind", ...answer.complaints)
    case "refused":
      return trouble(
        LOADS,
        "Correct what it complains of.",
        "OpenCode cannot open this project",
        answer.message,
      )
    case "failed":
      return trouble(
        LOADS,
        "Run `opencode serve` here to see more.",
        "OpenCode did not start",
        answer.message,
      )
    case "timed_out": {
      const again = "The first start downloads packages: try again, or with `--timeout 300`."
      return trouble(LOADS, again, `OpenCode did not answer within ${limitText(timeoutMs)}`, answer.message)
    }
  }
}

/** A name that OpenCode could not get from the registry is no better the second time; the path of this copy is. */
function mendEntry({ entries }: Installed): string {
  const [byName] = entries.filter(({ specifier }) => !isPath(specifier))
  if (byName === undefined) return "Correct the entry, or run `hivemind uninstall` and `hivemind init` again."
  const again = `hivemind uninstall${flag(byName.scope)} && hivemind init${flag(byName.scope)}`
  return `OpenCode gets "${byName.specifier}" from the package registry. To load this copy: \`${again} --plugin "${ownPackage().dir}"\`.`
}

/** As it was asked for: `0.1 s` must not become `0 s`. */
function limitText(ms: number): string {
  return ms < 10_000 ? `${ms / 1000} s` : duration(ms)
}

function flag(scope: ConfigScope): string {
  return scope === "global" ? " --global" : ""
}

function majorOf({ version }: FoundOpencode): number {
  return Number.parseInt(version, 10)
}

const OPENCODE = "opencode"
const NEWEST_MAJOR = 2
const PANEL = "panel"
const CONFIG = "plugin entry"
export const LOADS = "plugin loads"
const REBUILD =
  "Its install script was blocked, or it is damaged: `npm rebuild opencode-ai`, or install it anew."
