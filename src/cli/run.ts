import { statSync } from "node:fs"
import { resolve } from "node:path"
import { Command, CommanderError } from "commander"
import { HiveError } from "../shared/error.ts"
import { COMMAND_GROUPS, COMMANDS } from "./commands.ts"
import { ownPackage } from "./install/own-package.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { EXIT, EXIT_CODE_HELP } from "./terminal/exit-code.ts"
import type { CliIo } from "./terminal/io.ts"
import { guardOutput } from "./terminal/output.ts"
import { reportError, reportResult } from "./terminal/report.ts"

/** The command line: parses, runs one command, prints its result or its refusal. Returns the exit code. */
export async function runCli(args: string[], given: CliIo): Promise<number> {
  const io = guardOutput(given)
  let result: CliResult | undefined
  const program = createProgram(io, (value) => {
    result = value
  })
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(helpFlagLast(args), { from: "user" })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
    return reportError(error instanceof CommanderError ? wrongUsage(error, args) : error, wantsJson(args), io)
  }
  return result === undefined ? EXIT.ok : reportResult(result, wantsJson(args), io)
}

function createProgram(io: CliIo, done: (result: CliResult | undefined) => void): Command {
  const program = new Command("hivemind")
    .description("Keeps a coding agent on plan. A plugin for OpenCode, and this command line beside it.")
    .version(ownPackage().version)
    .helpCommand(false)
    .exitOverride()
    // commander's own error text is dropped: reportError says it, for people and for programs.
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => {} })
    .addHelpText("after", EXIT_CODE_HELP)
  for (const { title, commands } of COMMAND_GROUPS)
    for (const { name, summary } of commands) program.command(name).description(summary).helpGroup(title)

  // Loads the command's file once commander knows its name, and before it reads the options.
  program.hook("preSubcommand", async (_program, command) => {
    const entry = COMMANDS.find(({ name }) => name === command.name())
    if (entry !== undefined) attach(command, await entry.load(), io, done)
  })
  return program
}

function attach(
  command: Command,
  { configure, run }: CliCommand,
  io: CliIo,
  done: (result: CliResult | undefined) => void,
): void {
  configure?.(command)
  command.option("--dir <folder>", "the project's folder (default: here)")
  command.option("--json", "print one JSON document, for programs")
  command.action(async () => {
    const options: { dir?: string; json?: boolean } = command.opts()
    const dir = existingFolder(resolve(io.cwd, options.dir ?? "."))
    done(await run({ args: command.args, options, dir, json: options.json === true, io }))
  })
}

/** `hivemind help init` as `hivemind init --help`: commander's own help command would miss the lazy options. */
function helpFlagLast(args: string[]): string[] {
  if (args[0] !== "help") return args
  const [name] = args.slice(1)
  const isUnknown =
    name !== undefined && !name.startsWith("-") && !COMMANDS.some((each) => each.name === name)
  return isUnknown ? [name] : [...args.slice(1, 2), "--help"]
}

function wantsJson(args: string[]): boolean {
  const end = args.indexOf("--")
  return args.slice(0, end < 0 ? undefined : end).includes("--json")
}

function existingFolder(dir: string): string {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir
  throw new HiveError({
    code: "invalid_argument",
    what: `${dir} is not a folder.`,
    why: "`--dir` names the folder of a project.",
    use_instead: "Pass a folder that exists, or leave `--dir` out to mean the current one.",
    evidence: `--dir ${dir}`,
  })
}

/** commander names an option or a command that is near, but of the options that every command has it means only some. */
function suggestionFor(problem: string, hint = ""): string {
  const [, given = "", choices = ""] = /'([^']+)' is invalid.*Allowed choices are (.+)\.$/.exec(problem) ?? []
  const near = choices.split(", ").find((choice) => isNear(choice, given))
  if (near !== undefined) return `Did you mean ${near}?`
  const isFarOff = hint.includes("--version") && !problem.includes("'--v")
  return isFarOff ? "" : hint.replace(/^\(|\)$/g, "")
}

/** The same letters in another order, or all but one of them. */
function isNear(word: string, given: string): boolean {
  const left = [...given.toLowerCase()]
  const missing = [...word].filter((letter) => {
    const at = left.indexOf(letter)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return word !== "" && missing.length + left.length <= 2 && word[0] === given[0]?.toLowerCase()
}

function wrongUsage(error: CommanderError, args: string[]): HiveError {
  const [problem = "", hint] = error.message.replace(/^error: /, "").split("\n")
  const name = COMMANDS.find((entry) => entry.name === args[0])?.name
  const help = `See \`hivemind ${name === undefined ? "" : `${name} `}--help\`.`
  return new HiveError({
    code: "invalid_argument",
    what: `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, "")}.`,
    why: "The command line could not be read, so nothing was done.",
    use_instead: [suggestionFor(problem, hint), help].filter((text) => text !== "").join(" "),
    evidence: ["hivemind", ...args].join(" "),
  })
}
