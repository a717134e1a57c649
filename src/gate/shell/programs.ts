import { archives } from "./archives.ts"
import { buildTools, fixers } from "./build-tools.ts"
import { builtins } from "./builtins.ts"
import { fileKind, programKind } from "./command-kind.ts"
import { copying } from "./copying.ts"
import { deletes } from "./deletes.ts"
import { downloads } from "./downloads.ts"
import { editors } from "./editors.ts"
import { fileWrites } from "./file-writes.ts"
import { findAndXargs } from "./find-xargs.ts"
import { childFrame } from "./frame.ts"
import { git } from "./git.ts"
import { judgeHiveSettings, judgeHiveWords } from "./hive-words.ts"
import { interpreters } from "./interpreters.ts"
import { knownOutput } from "./known-output.ts"
import { judgeOutput } from "./output-option.ts"
import { packages } from "./packages.ts"
import { resolvePath } from "./paths.ts"
import { permissions } from "./permissions.ts"
import type { Call, Program } from "./program.ts"
import { runFile, shells } from "./shells.ts"
import { sql } from "./sql.ts"
import { system } from "./system.ts"
import { DOWNLOADED, isKnown, RELEASE, UNKNOWN } from "./unknown-text.ts"
import { wrappers } from "./wrappers.ts"

/** Judges one command, its words expanded, and returns what it would print. */
export function judgeProgram(call: Call): string {
  const { args, frame, run } = call
  const name = programName(call.name)
  if (!isKnown(name)) return judgeUnknown(call)
  const written = /[/\\]/.test(call.name) ? run.files.get(resolvePath(call.name, frame, run)) : undefined
  // A program's release is run as a program; anything else that was downloaded may be shell text nobody has read.
  if (written !== undefined && written !== DOWNLOADED + RELEASE)
    return runFile(call.name, args, frame, childFrame(frame), run)
  // `bin/test` is a script of the project's, not the shell's own.
  const isOwnTest = name === "test" && /^(\.{1,2}|[\w-]+)\//.test(call.name)
  const program = isOwnTest ? undefined : programOf(name)
  const before = run.judged()
  const printed = program?.({ ...call, name })
  // One that runs a command has the words of that command.
  if (run.judged() === before) judgeWords({ ...call, name })
  if (printed !== undefined) return printed
  if (program === undefined)
    run.addKind(programKind(name, args) ?? (/[/\\]/.test(call.name) ? fileKind(call.name) : "other"))
  // A filter on the way does not make a download any safer.
  return frame.stdin.includes(DOWNLOADED) ? DOWNLOADED : UNKNOWN
}

/** Where nobody knows what each word of a program means, they are judged by what they could. */
function judgeWords(call: Call): void {
  const { name, args, frame, run } = call
  if (UNDERSTOOD.has(name) || programKind(name, args) === "read") {
    if (name in shells) judgeHiveSettings(frame, run, () => true)
    if (READS_OR_WRITES.test(name)) judgeOutput(call)
    return
  }
  judgeHiveSettings(frame, run, () => true)
  // Of what is downloaded, the row has told the file.
  const hasOutput = !(name in downloads) && judgeOutput(call)
  if (!(name in fixers)) judgeHiveWords(call, hasOutput, name in interpreters ? 1 : 0)
}

function programOf(name: string): Program | undefined {
  return PROGRAMS.get(name) ?? (/^mkfs\b/.test(name) ? PROGRAMS.get("mkfs") : undefined)
}

export function isProgram(word: string): boolean {
  return PROGRAMS.has(programName(word))
}

function judgeUnknown({ name, args, frame, run }: Call): string {
  run.addKind("other")
  if (name.includes(DOWNLOADED)) {
    run.destroys("runs a download in a shell without a look at it")
    return UNKNOWN
  }
  const meant = name.slice(name.indexOf(UNKNOWN) + 1)
  if (CONTAINERS.test(meant)) {
    run.runProgram([meant, ...args], childFrame(frame))
    if (args[0] === "rm" && args.slice(1).every((word) => CONTAINER_WORD.test(word))) return UNKNOWN
  }
  // `$SUDO rm …`: what follows is likely to be the command. `$PIP install x y` is not the one that copies.
  const next = args.findIndex(isKnown)
  const isPackages = args[next] === "install" && !/^-[DTbcgmopstv]/.test(args[next + 1] ?? "")
  return next === -1 || isPackages ? UNKNOWN : run.runProgram(args.slice(next), frame)
}

/** Without its folder and `.exe`. Small letters: macOS and Windows take `RM` for `rm`. */
function programName(word: string): string {
  const name = word.split(/[/\\]/).at(-1) ?? ""
  const small = name.toLowerCase().replace(/\.(exe|cmd|bat)$/, "")
  return /^python[\d.]+$/.test(small) ? "python" : small
}

const READS_OR_WRITES = /^(tree|iconv|less|cloc|scc|inotifywait|ncdu|bat)$/
const CONTAINERS = /^(docker|docker-compose|podman|nerdctl)$/
/** An option of theirs, or a name that nobody knows; a path is none. */
const CONTAINER_WORD = /^(-[fsv]+|--(force|stop|volumes)|[\w-]*\uE000[\w\uE000-]*)$/
/** Their judges know what each of their words is. */
const WORD_BY_WORD = [
  knownOutput,
  fileWrites,
  editors,
  copying,
  archives,
  permissions,
  deletes,
  git,
  findAndXargs,
  shells,
  builtins,
]
const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [wrappers, packages, fixers, buildTools, downloads, sql, system, interpreters, ...WORD_BY_WORD].flatMap(
    (programs) => Object.entries(programs),
  ),
)
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...WORD_BY_WORD.flatMap((programs) => Object.keys(programs)),
  ...["hivemind", "hivemind-opencode"],
])
