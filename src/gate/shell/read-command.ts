import { contains, isBuildOutput } from "../../shared/well-known-folders.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { isReader, isToldToWrite, programKind } from "./command-kind.ts"
import {
  type CommandKind,
  type CommandReading,
  type Discard,
  type Effect,
  FINDING_TEXT,
  type Finding,
  type FindingKind,
  MAX_WRITTEN_FILES,
} from "./command-reading.ts"
import { isKnown } from "./expand-word.ts"
import { externalEffect, noteDownloads, runsDownload } from "./external-effects.ts"
import { type FileEffect, fileProgram, outputOptions } from "./file-programs.ts"
import { type GitReading, readGit } from "./git.ts"
import {
  codeWritesHive,
  displayPath,
  isDiskDevice,
  isInHive,
  isNullDevice,
  normalizePath,
  type Places,
  resolvePath,
  UNKNOWN_PATH,
  wordsInHive,
} from "./paths.ts"
import {
  firstAndLast,
  newScope,
  type SimpleCommand,
  simpleCommands,
  splitRoughly,
  withoutHereDocuments,
} from "./syntax-tree.ts"
import { programName, unwrap } from "./unwrap.ts"

export interface ShellContext {
  project: string
  /** The folder that holds `.hivemind/`; the project's root if not given. */
  hive?: string
  /** Where the command starts; the project's root if not given. */
  cwd?: string
  home?: string
  branch?: string | null
}

/** Analyzes a command line without running it: its kind, the paths that it writes, and its irreversible effects. */
export function readCommand(text: string, context: ShellContext): CommandReading {
  const project = normalizePath(context.project)
  const hive = normalizePath(context.hive ?? project)
  const notes = newNotes({ project, hive, home: normalizePath(context.home ?? "/~") }, context.branch ?? null)
  const scope = newScope(normalizePath(context.cwd ?? project))
  const isLong = text.length > MAX_CHARS || withoutHereDocuments(text).length > MAX_CODE_CHARS
  const { commands, isWhole } = isLong ? { commands: [], isWhole: false } : simpleCommands(text, { ...scope })
  if (!isWhole) commands.push(...splitRoughly(beginningAndEnd(text), scope))
  const all = firstAndLast(commands, MAX_COMMANDS).flatMap((command) => unwrap(command))
  for (const command of firstAndLast(all, MAX_COMMANDS)) readOne(command, notes)
  if (!isWhole || commands.length > MAX_COMMANDS || all.length > MAX_COMMANDS) {
    notes.kinds.add("other")
    notes.writes.add(UNKNOWN_PATH)
  }
  if (FORK_BOMB.test(text.slice(0, MAX_CODE_CHARS))) notes.find("fork bomb", text)
  return notes.reading()
}

/** The two ends of a long command line. Effects of its middle are found only by the snapshots around the call. */
function beginningAndEnd(text: string): string {
  const start = text.slice(0, MAX_CODE_CHARS - MAX_END_CHARS)
  return text.length <= MAX_CODE_CHARS ? text : `${start}\n${text.slice(-MAX_END_CHARS)}`
}

type Notes = ReturnType<typeof newNotes>

function newNotes(places: Places, branch: string | null) {
  const kinds = new Set<CommandKind>()
  const writes = new Set<string>()
  /** One effect per path and kind of change, as a long command may repeat them. */
  const effects = new Map<string, Effect>()
  const discards: Discard[] = []
  const findings: Finding[] = []
  /** Paths that an earlier command on the line has copied, archived or saved as a patch. */
  const copied = new Set<string>()
  const notes = {
    ...{ places, branch, kinds, writes, discards, copied, touchesHive: false },
    saved: new Set<string>(),
    stashed: "nothing" as GitReading["stashes"],
    find(kind: FindingKind, part: string, what: string = FINDING_TEXT[kind]): void {
      findings.push({ kind, what, part: part.slice(0, MAX_PART_CHARS) })
    },
    effect({ word, how }: FileEffect, { cwd, text, isElsewhere }: SimpleCommand): void {
      const path = resolvePath(word, cwd, places)
      if (word === "" || isNullDevice(path) || writes.size > MAX_WRITTEN_FILES) return
      kinds.add("write")
      if (isDiskDevice(path)) notes.find("disk or machine", text, "writes over a disk")
      if (isElsewhere || isDiskDevice(path)) {
        const isLost = how === "removed recursively" && !/^\/tmp\/./.test(word) && !isBuildOutput(word)
        if (isLost) notes.find("outside", text, `deletes ${word} in a container or on another machine`)
        return
      }
      writes.add(displayPath(path, places.project))
      if (how !== "written" && !copied.has(path))
        effects.set(`${how} ${path}`, { path, how, part: text.slice(0, MAX_PART_CHARS) })
      const isWhole = how === "removed recursively" || how === "moved"
      const isAround = isWhole && (contains(path, places.project) || contains(path, places.hive))
      if (isInHive(path) || isAround) notes.touchesHive = true
    },
    reading: (): CommandReading => ({
      kind: mainKind(kinds, writes.size > 0),
      writes: [...writes],
      effects: [...effects.values()],
      ...{ discards, findings, touchesHive: notes.touchesHive },
    }),
  }
  return notes
}

function readOne(command: SimpleCommand, notes: Notes): void {
  const { args, text, outputs } = command
  const [first = "", ...words] = args
  const program = programName(first)
  for (const { path, isAppended } of outputs)
    notes.effect({ word: path, how: isAppended ? "written" : "replaced" }, command)
  if (runsDownload(program, command, notes.saved)) notes.find("unread download", text)
  noteDownloads(program, command, notes.saved)
  const kind = externalEffect(program, command)
  if (kind !== undefined) notes.find(kind, text)
  if (program === "git" || program === "hub") readGitCommand(command, notes)
  else if (args.length > 0) readProgram(program, words, command, notes)
}

function readProgram(program: string, words: readonly string[], command: SimpleCommand, notes: Notes): void {
  const { cwd, isElsewhere } = command
  const files = fileProgram(program, words)
  const isEdit = program === "mv" && isMadeHere(command, notes)
  const made = OTHER_OUTPUT.test(program) ? [] : outputOptions(words)
  for (const { word, how } of [...(files?.effects ?? []), ...made])
    notes.effect({ word, how: how === "moved over" && isEdit ? "written" : how }, command)
  const isOther = isElsewhere || !isKnown(program) || isToldToWrite(program, words)
  notes.kinds.add(isOther ? "other" : (files?.kind ?? programKind(program, command)))
  if (/^(cp|tar|zip|rsync)$/.test(program))
    for (const word of words) notes.copied.add(resolvePath(word, cwd, notes.places))
  if (isReader(program) || isElsewhere || KNOWS_HIVE.test(program)) return
  if (CODE.test(program) && codeWritesHive(command))
    notes.effect({ word: HIVE_FOLDER, how: "written" }, command)
  for (const word of wordsInHive(program, command, notes.places, files !== undefined && program !== "ln"))
    notes.effect({ word, how: "written" }, command)
}

/** Whether `mv` moves a file that an earlier command wrote: `jq … a > b && mv b a` is an edit of `a`. */
function isMadeHere({ args, cwd }: SimpleCommand, { places, writes }: Notes): boolean {
  const [, from = ""] = args.filter((word) => !word.startsWith("-"))
  return writes.has(displayPath(resolvePath(from, cwd, places), places.project))
}

function readGitCommand(command: SimpleCommand, notes: Notes): void {
  const { text: part, args, outputs, isElsewhere } = command
  const git = readGit(args.slice(1), notes.branch)
  let { cwd } = command
  for (const folder of git.folders) cwd = resolvePath(folder, cwd, notes.places)
  const pathOf = (word: string) => resolvePath(word, cwd, notes.places)
  notes.kinds.add(isElsewhere ? "other" : git.kind)
  if (git.finding !== undefined) notes.find(git.finding, part)
  if (isElsewhere) return
  for (const effect of git.effects) notes.effect(effect, { ...command, cwd })
  // Git commands such as add, commit and push only read the work tree.
  if (git.kind !== "read" && !TO_INDEX.test(git.verb))
    for (const word of wordsInHive("git", command, notes.places, args.includes("--cached")))
      notes.effect({ word, how: "written" }, { ...command, cwd })
  if (git.writesUnknown) notes.writes.add(UNKNOWN_PATH)
  const { stashed } = notes
  if (git.stashes !== "nothing") notes.stashed = git.stashes
  if (outputs.length > 0 && args.includes("diff")) for (const word of args) notes.copied.add(pathOf(word))
  for (const { what, paths, isCertain } of git.discards) {
    // Changes that an earlier command has stashed or copied are not lost, unless that stash is dropped now.
    const lost = paths.map(pathOf).filter((path) => what === "stash" || !notes.copied.has(path))
    const isDropped = what === "stash" && stashed !== "nothing"
    if (isDropped) notes.discards.push({ what: "tracked", paths: lost, isCertain, part })
    const isStashed = what === "tracked" ? stashed !== "nothing" : what === "untracked" && stashed === "all"
    if (isStashed || lost.length === 0) continue
    notes.discards.push({ what, paths: lost, isCertain, part: part.slice(0, MAX_PART_CHARS) })
    const isCleaned = what.includes("ignored") && / -\w*d/.test(part) && !args.includes("!.hivemind")
    if (isCleaned && lost.some((path) => contains(path, `${notes.places.hive}/${HIVE_FOLDER}`)))
      notes.touchesHive = true
  }
}

function mainKind(kinds: ReadonlySet<CommandKind>, writes: boolean): CommandKind {
  for (const kind of ["test", "build", "git"] as const) if (kinds.has(kind)) return kind
  if (writes || kinds.has("write")) return "write"
  return kinds.has("read") && !kinds.has("other") ? "read" : "other"
}

const MAX_CHARS = 500_000
const MAX_CODE_CHARS = 12_000
const MAX_END_CHARS = 4000
const MAX_COMMANDS = 400
const MAX_PART_CHARS = 640
const FORK_BOMB =
  /(\S{1,40})\s*\(\)\s*\{[^}]{0,200}?(?<!\w)\1\s*\|\s*\1\s*&|\bfork while fork\b|\bwhile\s*\(?(True|true|1)\)?[\s:{]{0,20}(os\.)?fork\(\)/
/** Programs whose arguments may name HiveMind's folder: its CLI may write there, and what a shell runs is read separately. */
const KNOWS_HIVE = /^(hivemind.*|(ba|z|da|k)?sh|fish)$/
const CODE = /^(python|pypy|node|nodejs|tsx|ts-node|bun|deno|perl|ruby|lua|php)$/
const TO_INDEX = /^(add|commit|update-index|reset|push|fetch|tag|notes|remote|clean)$/
/** Programs whose `-o` does not name an output file. */
const OTHER_OUTPUT = /^(kubectl|ps|grep|rg|ssh|scp|mount|install|chown|find|unzip|ls|set|sqlite3|pip)$/
