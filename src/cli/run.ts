import { statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { Command, CommanderError } from "commander"
import { HiveError } from "../shared/error.ts"
import { COMMAND_GROUPS, COMMANDS } from "./commands.ts"
import { versionText } from "./install/own-package.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import type { CliIo } from "./terminal/io.ts"
import { addCommonOptions } from "./terminal/options.ts"
import { guardOutput } from "./terminal/output.ts"
import { EXIT, EXIT_CODE_HELP, reportError, reportResult } from "./terminal/report.ts"
import { styleFor } from "./terminal/style.ts"

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
    .description("Keeps a coding agent on plan. HiveMind is a plugin for OpenCode with this command line.")
    .version(versionText())
    .helpCommand(false)
    // An option belongs to the command in front of it: `log refusals --since` is not `log --since`.
    .enablePositionalOptions()
    .exitOverride()
    // commander's own error output is dropped, because reportError prints the error, as text or JSON.
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => {} })
    .addHelpText("after", EXIT_CODE_HELP)
  for (const entry of COMMANDS) {
    const group = COMMAND_GROUPS.find(({ commands }) => commands.includes(entry))
    const command = program.command(entry.name, { hidden: group === undefined }).description(entry.summary)
    if (group !== undefined) command.helpGroup(group.title)
    command.helpCommand(false).enablePositionalOptions()
    for (const [name, summary] of Object.entries(entry.views)) command.command(name).description(summary)
    // Loads a command once commander knows its name, and before it reads the options.
    program.hook("preSubcommand", async (_, called) => {
      if (called === command) attach(command, (await entry.load()).command, io, done)
    })
    command.hook("preSubcommand", async (_, called) => {
      const view = (await entry.load()).views?.[called.name()]
      if (view !== undefined) attach(called, view, io, done)
    })
  }
  return program
}

function attach(
  command: Command,
  { configure, help, run }: CliCommand,
  io: CliIo,
  done: (result: CliResult | undefined) => void,
): void {
  configure?.(command)
  addCommonOptions(command)
  if (help !== undefined) command.addHelpText("after", `\n${help}`)
  command.action(async () => {
    const options: { dir?: string; json?: boolean } = command.opts()
    const above: { dir?: string; json?: boolean } = command.parent?.opts() ?? {}
    const dir = projectFolder(io.cwd, options.dir ?? above.dir)
    const json = options.json === true || above.json === true
    done(await run({ args: command.args, options, dir, json, io, style: styleFor(io.stdout, io.env) }))
  })
}

/** Turns `hivemind help init` into `hivemind init --help`: commander's own help command would not load init's options. */
function helpFlagLast(args: string[]): string[] {
  if (args[0] !== "help") return args
  const [name, view] = args.slice(1).filter((word) => !word.startsWith("-"))
  const entry = COMMANDS.find((each) => each.name === name)
  if (name !== undefined && entry === undefined) return [name]
  const isView = view !== undefined && entry?.views[view] !== undefined
  return [name, isView ? view : undefined, "--help"].filter((word) => word !== undefined)
}

function wantsJson(args: string[]): boolean {
  const end = args.indexOf("--")
  return args.slice(0, end < 0 ? undefined : end).includes("--json")
}

function projectFolder(cwd: string, given = "."): string {
  if (cwd === "" && !isAbsolute(given))
    throw new HiveError({
      code: "no_project",
      what: "The working folder does not exist any more.",
      why: "The folder was deleted or moved after the shell or the program entered it.",
      use_instead:
        "Go to a folder that exists (`cd`), or name the project with `--dir` and an absolute path.",
      evidence: "the working folder cannot be read",
    })
  const dir = resolve(cwd, given)
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir
  throw new HiveError({
    code: "invalid_argument",
    what: `${dir} is not a folder.`,
    why: "`--dir` names the folder of a project.",
    use_instead: "Pass a folder that exists, or leave `--dir` out to mean the current one.",
    evidence: `--dir ${dir}`,
  })
}

/** commander's "Did you mean" hint, but not if it suggests `--version` for an option that does not resemble it. */
function suggestionFor(problem: string, hint = ""): string {
  const isFarOff = hint.includes("--version") && !problem.includes("'--v")
  return isFarOff ? "" : hint.replace(/^\(|\)$/g, "")
}

function wrongUsage(error: CommanderError, args: string[]): HiveError {
  const [problem = "", hint] = error.message.replace(/^error: /, "").split("\n")
  const entry = COMMANDS.find(({ name }) => name === args[0])
  const view = Object.keys(entry?.views ?? {}).find((name) => name === args[1])
  const names = [entry?.name, view].filter((name) => name !== undefined)
  const help = `See \`${["hivemind", ...names, "--help"].join(" ")}\`.`
  return new HiveError({
    code: "invalid_argument",
    what: `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, "")}.`,
    why: "The command line could not be read, so nothing was done.",
    use_instead: [suggestionFor(problem, hint), help].filter((text) => text !== "").join(" "),
    evidence: ["hivemind", ...args].join(" "),
  })
}
