import { Argument, Command } from "commander"
import { COMMAND_GROUPS } from "./commands.ts"
import type { CliCommand } from "./terminal/command.ts"
import { addCommonOptions } from "./terminal/options.ts"

export const command: CliCommand = {
  configure(completion: Command) {
    const shells = Object.keys(SCRIPTS)
    completion.addArgument(new Argument("<shell>", "the shell to complete in").choices(shells))
  },

  help: 'Example, for ~/.bashrc: eval "$(hivemind completion bash)"',

  async run({ args }) {
    const shell = args[0] as keyof typeof SCRIPTS
    const script = SCRIPTS[shell](await readCommands())
    return { data: { shell, script }, text: script }
  },
}

export interface CommandInfo {
  name: string
  summary: string
  command: Command
}

export async function readCommands(): Promise<CommandInfo[]> {
  const found: CommandInfo[] = []
  for (const { name, summary, load, views } of COMMAND_GROUPS.flatMap(({ commands }) => commands)) {
    const loaded = await load()
    found.push({ name, summary, command: configured(loaded.command, name) })
    for (const [view, about] of Object.entries(views)) {
      const below = loaded.views?.[view]
      if (below !== undefined)
        found.push({ name: `${name} ${view}`, summary: about, command: configured(below, view) })
    }
  }
  return found
}

function configured({ configure }: CliCommand, name: string): Command {
  const command = new Command(name)
  configure?.(command)
  return addCommonOptions(command)
}

type Word = { word: string; about: string }

/** The words to complete after each command name. The key "" has the words that follow `hivemind` itself. */
function wordsAfter(commands: readonly CommandInfo[]): Map<string, Word[]> {
  const below = (parent: string) =>
    commands.flatMap(({ name, summary }) => {
      const [first = "", second = ""] = name.split(" ")
      const [above, word] = second === "" ? ["", first] : [first, second]
      return above === parent ? [{ word, about: summary }] : []
    })
  const options = ({ command }: CommandInfo) =>
    command.options.flatMap(({ long, description }) =>
      long == null ? [] : [{ word: long, about: description }],
    )
  return new Map([
    ["", [...below(""), { word: "--version", about: "the version" }, HELP]],
    ...commands.map((each): [string, Word[]] => [each.name, [...below(each.name), ...options(each), HELP]]),
  ])
}

/** Shell code that finds the command in the `typed` words, then runs the code that `caseOf` has for that command. */
function shellCases(commands: readonly CommandInfo[], typed: string, caseOf: (words: Word[]) => string) {
  const cases = Array.from(wordsAfter(commands), ([name, words]) => `    "${name}") ${caseOf(words)} ;;`)
  return `  local at="" word
  for word in "\${${typed}}"; do
    case "\${at:+$at }$word" in
      ${commands.map(({ name }) => `"${name}"`).join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac`
}

function bash(commands: readonly CommandInfo[]): string {
  const caseOf = (words: Word[]) => `words="${words.map(({ word }) => word).join(" ")}"`
  return `_hivemind() {
  local words=""
${shellCases(commands, "COMP_WORDS[@]:1:COMP_CWORD-1", caseOf)}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hivemind hivemind
`
}

function zsh(commands: readonly CommandInfo[]): string {
  const caseOf = (words: Word[]) =>
    `list=(${words.map(({ word, about }) => quoted(`${word}:${about}`)).join(" ")})`
  return `#compdef hivemind
_hivemind() {
  local -a list
${shellCases(commands, "(@)words[2,CURRENT-1]", caseOf)}
  _describe hivemind list || _files
}
# If zsh loads this file by itself, it runs it for the first completion.
if [ "$funcstack[1]" = "_hivemind" ]; then _hivemind "$@"; else compdef _hivemind hivemind; fi
`
}

function fish(commands: readonly CommandInfo[]): string {
  const lines = Array.from(wordsAfter(commands), ([name, words]) => {
    const [first = "", second] = name.split(" ")
    const inner = commands.flatMap((each) =>
      each.name.startsWith(`${first} `) ? [each.name.split(" ")[1]] : [],
    )
    const seen = [
      first === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${first}`,
      ...(second === undefined ? [] : [`__fish_seen_subcommand_from ${second}`]),
      ...(second !== undefined || first === "" || inner.length === 0
        ? []
        : [`not __fish_seen_subcommand_from ${inner.join(" ")}`]),
    ].join("; and ")
    return words.map(({ word, about }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c hivemind -n ${quoted(seen)} ${what} -d ${quoted(about)}`
    })
  })
  return `${lines.flat().join("\n")}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "’")}'`
}

const SCRIPTS = { bash, zsh, fish }
const HELP = { word: "--help", about: "show the help of the command" }
