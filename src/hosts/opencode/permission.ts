import { statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import type { ToolContext } from "@opencode-ai/plugin"
import { isKnown } from "../../gate/shell/expand-word.ts"
import { type SimpleCommand, simpleCommands, splitRoughly } from "../../gate/shell/syntax-tree.ts"
import { leadsOut } from "../../project/project-path.ts"
import { HiveError } from "../../shared/error.ts"

type Asking = Pick<ToolContext, "ask" | "directory" | "worktree">

/**
 * Asks OpenCode for permission to run a command as its own `bash` would: each command of the line under `bash`, and folders
 * outside of the project under `external_directory`. The user's rules decide, or the user. Rejects with OpenCode's error.
 */
export async function askForCommand(context: Asking, command: string, cwd: string): Promise<void> {
  if (typeof context.ask !== "function") throw cannotAsk()
  const commands = everyCommand(command)
  const folders = outsideFolders(context, commands, cwd)
  const metadata = { command }
  if (folders.length > 0) {
    const patterns = folders.map((folder) => join(folder, "*"))
    await context.ask({ permission: "external_directory", patterns, always: patterns, metadata })
  }
  const asked = commands.filter(({ args }) => !UNASKED.has(args[0] ?? ""))
  const patterns = asked.length === 0 ? [command.trim()] : asked.map(({ text }) => text)
  const always = asked.map(({ args }) => `${commandPrefix(args)} *`)
  await context.ask({ permission: "bash", patterns: unique(patterns), always: unique(always), metadata })
}

/** A line that cannot be parsed is split roughly, and asked for as a whole too. */
function everyCommand(line: string): SimpleCommand[] {
  const { commands, isWhole } = simpleCommands(line)
  return [...commands.filter(({ args }) => args.length > 0), ...(isWhole ? [] : splitRoughly(line))]
}

/** Asks OpenCode for permission to start an agent as its own `task` tool would. */
export async function askForAgent(context: Pick<ToolContext, "ask">, agent: string): Promise<void> {
  if (typeof context.ask !== "function") throw cannotAsk()
  const metadata = { description: "research", subagent_type: agent }
  await context.ask({ permission: "task", patterns: [agent], always: ["*"], metadata })
}

/** The folders outside of the project that a command line names or runs in. */
function outsideFolders(
  { directory, worktree }: Asking,
  commands: readonly SimpleCommand[],
  cwd: string,
): string[] {
  // Outside of git OpenCode gives "/", which would contain everything.
  const project = [directory, ...(worktree === "/" ? [] : [worktree])].filter((each) => each !== undefined)
  const isOutside = (path: string) => !project.some((folder) => isBelow(folder, path))
  const named = commands
    .filter(({ args }) => TAKES_PATHS.has(args[0] ?? ""))
    .flatMap(({ args }) => args.slice(1).filter((word) => isKnown(word) && !/^-|[$`*?[]/.test(word)))
    .map((word) => resolve(cwd, word.replace(/^~(?=$|\/)/, homedir())))
    .filter(isOutside)
    .map((path) => (isFolder(path) ? path : dirname(path)))
  return unique(isOutside(cwd) ? [cwd, ...named] : named)
}

/** The pattern for "always allow": the program, and its subcommand where it has those. */
function commandPrefix(words: readonly string[]): string {
  const [program = "", first = "", second = ""] = words
  if (!HAS_SUBCOMMANDS.has(program) || !isPlain(first)) return program
  return first === "run" && isPlain(second) ? `${program} run ${second}` : `${program} ${first}`
}

function isPlain(word: string): boolean {
  return /^[\w:][\w:-]*$/.test(word)
}

function isBelow(folder: string, path: string): boolean {
  return !leadsOut(relative(folder, path))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

function cannotAsk(): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "The call was not run.",
    why: "This version of the host gives tools no way to ask for the user's permission rules.",
    use_instead: "Use the host's own tools.",
    evidence: "the tool's context has no `ask`",
  })
}

// These change the shell itself and nothing else; OpenCode does not ask about them either.
const UNASKED = new Set(["cd", "pushd", "popd", "export", "declare", "typeset", "readonly", "local", "unset"])
// Programs whose arguments OpenCode checks for folders outside of the project.
const TAKES_PATHS = new Set("cat cd chmod chown cp mkdir mv popd pushd rm touch".split(" "))
const HAS_SUBCOMMANDS = new Set(
  "apt apt-get aws brew bun bundle cargo composer deno docker dotnet gcloud gem gh git go helm just kubectl make mise npm npx nx pip pip3 pipx pnpm podman poetry rake rails terraform tofu turbo uv yarn".split(
    " ",
  ),
)
