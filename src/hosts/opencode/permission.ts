import { statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import type { ToolContext } from "@opencode-ai/plugin"
import { isKnown } from "../../gate/shell/expand-word.ts"
import { type SimpleCommand, simpleCommands, splitRoughly } from "../../gate/shell/syntax-tree.ts"
import { leadsOut } from "../../project/project-path.ts"
import { HiveError } from "../../shared/error.ts"

type Asking = Pick<ToolContext, "ask" | "directory" | "worktree">

/** Asks for the same permissions as OpenCode's `bash`: for each command, and for folders outside of the project. */
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

/** For a line that cannot be parsed, permission is asked for the line itself and for rough parts of it. */
function everyCommand(line: string): SimpleCommand[] {
  const { commands, isWhole } = simpleCommands(line)
  return [...commands.filter(({ args }) => args.length > 0), ...(isWhole ? [] : splitRoughly(line))]
}

export async function askForAgent(context: Pick<ToolContext, "ask">, agent: string): Promise<void> {
  if (typeof context.ask !== "function") throw cannotAsk()
  const metadata = { description: "research", subagent_type: agent }
  await context.ask({ permission: "task", patterns: [agent], always: ["*"], metadata })
}

function outsideFolders({ directory, worktree }: Asking, commands: readonly SimpleCommand[], cwd: string) {
  // Without a git repository OpenCode's worktree is "/", which would contain every folder.
  const project = [directory, ...(worktree === "/" ? [] : [worktree])].filter((each) => each !== undefined)
  const isOutside = (path: string) => project.every((folder) => leadsOut(relative(folder, path)))
  const named = commands
    .filter(({ args }) => TAKES_PATHS.has(args[0] ?? ""))
    .flatMap(({ args }) => args.slice(1).filter((word) => isKnown(word) && !/^-|[$`*?[]/.test(word)))
    .map((word) => resolve(cwd, word.replace(/^~(?=$|\/)/, homedir())))
    .filter(isOutside)
    .map((path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path)))
  return unique(isOutside(cwd) ? [cwd, ...named] : named)
}

function commandPrefix(words: readonly string[]): string {
  const [program = "", first = "", second = ""] = words
  if (!HAS_SUBCOMMANDS.has(program) || !isPlain(first)) return program
  return first === "run" && isPlain(second) ? `${program} run ${second}` : `${program} ${first}`
}

function isPlain(word: string): boolean {
  return /^[\w:][\w:-]*$/.test(word)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

function cannotAsk(): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "The call was not run.",
    why: "In this version of the host, a tool cannot ask for the user's permission.",
    use_instead: "Use the host's own tools.",
    evidence: "the tool's context has no `ask`",
  })
}

// These commands change only the shell itself; OpenCode does not ask about them either.
const UNASKED = new Set(["cd", "pushd", "popd", "export", "declare", "typeset", "readonly", "local", "unset"])
// Programs whose arguments OpenCode checks for folders outside of the project.
const TAKES_PATHS = new Set("cat cd chmod chown cp mkdir mv popd pushd rm touch".split(" "))
const HAS_SUBCOMMANDS = new Set(
  "apt apt-get aws brew bun bundle cargo composer deno docker dotnet gcloud gem gh git go helm just kubectl make mise npm npx nx pip pip3 pipx pnpm podman poetry rake rails terraform tofu turbo uv yarn".split(
    " ",
  ),
)
