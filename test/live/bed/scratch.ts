import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "")
export const CLI = join(REPOSITORY, "dist", "cli", "main.js")
const WITNESS = fileURLToPath(new URL("./witness", import.meta.url))

type Plugin = string | [path: string, options: Record<string, unknown>]

export interface ScratchOptions {
  /** Folder of the plugin under test: by default the built repository; false for none. */
  plugin?: string | false
  pluginOptions?: Record<string, unknown>
  morePlugins?: Plugin[]
  config?: Record<string, unknown>
  /** The model's limits in tokens; a small window is soon compacted. */
  limit?: { context: number; output: number }
  format?: "openai" | "anthropic"
  env?: Record<string, string>
  files?: Record<string, string>
  hive?: boolean
  /** Makes the project a repository, with one commit of `files`. */
  git?: boolean
  /** Makes the project a linked worktree of this one, on a branch of that name. */
  worktree?: { of: string; branch: string }
  /** Starts a host process for this bed alone, instead of the one that the test worker's beds share. */
  ownHost?: boolean
}

/** A home folder for a host: no setting or session of the developer's is seen. */
export interface ScratchHome {
  root: string
  env: Record<string, string>
}

export interface Scratch extends ScratchHome {
  project: string
}

export function makeScratch(modelUrl: string, options: ScratchOptions): Scratch {
  const home = makeHome(options.env)
  try {
    return { ...home, project: makeProject(home, "project", modelUrl, options) }
  } catch (cause) {
    rmSync(home.root, { recursive: true, force: true })
    throw cause
  }
}

export function makeHome(env: Record<string, string> = {}): ScratchHome {
  // The host reports real paths, and a temp folder is often a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hivemind-bed-")))
  pretendInstalled(join(root, "config", "opencode"))
  return { root, env: { ...isolatedEnv(root), ...env } }
}

export function makeProject(
  { root, env }: ScratchHome,
  name: string,
  modelUrl: string,
  options: ScratchOptions,
): string {
  const project = join(root, name)
  const config = merge(baseConfig(modelUrl, options), options.config ?? {})
  const files = { "opencode.json": `${JSON.stringify(config, null, 2)}\n`, ...options.files }
  const { of, branch = "" } = options.worktree ?? {}
  if (of !== undefined)
    execFileSync("git", ["worktree", "add", "-b", branch, project], { cwd: of, env, stdio: "ignore" })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  if (options.hive) mkdirSync(join(project, ".hivemind", "graph"), { recursive: true })
  if (existsSync(join(project, ".opencode"))) pretendInstalled(join(project, ".opencode"))
  if (options.git) commitAll(project, env)
  return project
}

function baseConfig(modelUrl: string, options: ScratchOptions): Record<string, unknown> {
  const { plugin = REPOSITORY, pluginOptions, morePlugins = [] } = options
  const underTest: Plugin[] = plugin === false ? [] : [pluginOptions ? [plugin, pluginOptions] : plugin]
  const limit = options.limit ?? { context: 200_000, output: 8_000 }
  return {
    provider: {
      scripted: {
        npm: options.format === "anthropic" ? "@ai-sdk/anthropic" : "@ai-sdk/openai-compatible",
        options: { baseURL: modelUrl, apiKey: "none" },
        models: { m1: { tool_call: true, limit } },
      },
    },
    model: "scripted/m1",
    small_model: "scripted/m1",
    autoupdate: false,
    share: "disabled",
    // Not "allow" for everything: that would also let subagents such as `explore` write.
    permission: { external_directory: "allow", doom_loop: "allow", read: "allow" },
    plugin: [...underTest, ...morePlugins, WITNESS],
  }
}

// Not inherited: a key or an OPENCODE_* variable of the developer would change the host.
function isolatedEnv(root: string): Record<string, string> {
  const folder = (name: string) => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
  // The host's own catalogue of models takes half a second per project.
  const models = join(root, "models.json")
  writeFileSync(models, "{}")
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder("home"),
    TMPDIR: folder("tmp"),
    XDG_CONFIG_HOME: folder("config"),
    XDG_DATA_HOME: folder("data"),
    XDG_CACHE_HOME: folder("cache"),
    XDG_STATE_HOME: folder("state"),
    GIT_CONFIG_NOSYSTEM: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: models,
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }
}

// The host installs `@opencode-ai/plugin` from npm into every config folder, in 6 to 9 seconds, unless a lock file beside a
// `node_modules` names it.
function pretendInstalled(folder: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } }
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
}

function commitAll(project: string, env: Record<string, string>): void {
  // Older than the session: its own commits are recognised by their time.
  const date = new Date(Date.now() - 3_600_000).toISOString()
  const dated = { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project, env: dated, stdio: "ignore" })
  git("init", "--initial-branch", "main")
  git("add", "--all")
  git("-c", "user.name=bed", "-c", "user.email=bed@localhost", "commit", "--message", "start")
}

function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key]
    merged[key] = isRecord(old) && isRecord(value) ? merge(old, value) : value
  }
  return merged
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
