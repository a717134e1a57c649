import { posix } from "node:path"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import type { Frame } from "./frame.ts"
import { listing } from "./listed-files.ts"
import { parseOptions } from "./options.ts"
import { contains, isInHive, noteFolder, resolvePath } from "./paths.ts"
import { type Call, type Program, type Programs, type Run, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { bounded, isKnown, UNKNOWN } from "./unknown-text.ts"

/** Programs that only print, and whose output can be known: the next one in the pipe may run it. */
export const knownOutput: Programs = asReading({
  echo: ({ args }) => {
    const first = args.findIndex((arg) => !/^-[neE]+$/.test(arg))
    const text = first === -1 ? "" : args.slice(first).join(" ")
    const hasEscapes = args.slice(0, Math.max(0, first)).some((arg) => arg.includes("e"))
    return `${hasEscapes ? unescaped(text) : text}\n`
  },
  printf: ({ args, frame }) => {
    const variable = args[0] === "-v" ? args[1] : undefined
    const [format = "", ...values] = args.slice(variable === undefined ? (args[0] === "--" ? 1 : 0) : 2)
    const text = formatted(unescaped(format), values)
    if (variable === undefined) return text
    frame.vars.setNamed(variable, [text])
    return ""
  },
  cat: ({ args, frame, run }) => {
    const { operands } = parseOptions(args)
    if (operands.length === 0) return frame.stdin
    return operands.map((path) => (path === "-" ? frame.stdin : readFile(path, frame, run))).join("")
  },
  ...sameFor("head tail tac", passOn),
  uniq: (call) => {
    const [, made] = parseOptions(call.args, UNIQ_VALUED).operands
    if (made === undefined) return passOn(call)
    call.run.writes(made, call.frame)
    judgeReplacement(made, call.frame, call.run)
    return ""
  },
  ...sameFor("grep egrep fgrep", (call) => {
    const options = parseOptions(call.args, GREP_VALUED)
    const patterns = options.has("-e", "-f", "--regexp", "--file") ? 0 : 1
    // The names of some of these files.
    const files = options.operands.slice(patterns)
    const isDeep = options.has("-r", "-R", "--recursive")
    if (options.has("-l", "-L") && !isDeep) return files.join("\n") || UNKNOWN
    if (options.has("-l", "-L", "--files-with-matches")) return namesFound(call, files)
    const shown = [...options.values("-e", "--regexp"), ...options.operands.slice(0, patterns)]
    // What another grep has found is found in HiveMind's folder no more.
    const or = call.name === "egrep" || options.has("-E", "-P") ? "|" : "\\|"
    const alternatives = shown.flatMap((pattern) => pattern.split(or))
    if (options.has("-v", "--invert-match") && files.length === 0 && alternatives.some(meansHive))
      return UNKNOWN
    const isOther = options.has("-o", "-c", "-l", "-L", "-n", "-q", "-r", "-R", "--recursive", "--count")
    return isOther || options.operands.length > patterns ? UNKNOWN : call.frame.stdin || UNKNOWN
  }),
  // Of patterns it prints what they mean; of a folder the names in it.
  ls: ({ args }) => {
    const options = parseOptions(args)
    const isPatterns = options.operands.length > 0 && options.operands.every((word) => /[*?[]/.test(word))
    return isPatterns && !options.has("-l") ? options.operands.join("\n") : UNKNOWN
  },
  base64: ({ args, frame }) => {
    const options = parseOptions(args)
    if (options.operands.length > 0) return UNKNOWN
    if (!options.has("-d", "-D", "--decode") || !isKnown(frame.stdin)) return frame.stdin
    return Buffer.from(frame.stdin, "base64").toString("utf8")
  },
  xxd: ({ args, frame, run }) => {
    const options = parseOptions(args, XXD_VALUED)
    const [, made] = options.operands
    if (made !== undefined) {
      run.writes(made, frame)
      judgeReplacement(made, frame, run)
    }
    if (!(options.has("-r") && options.has("-p")) || !isKnown(frame.stdin)) return undefined
    return Buffer.from(frame.stdin.replaceAll(/\s/g, ""), "hex").toString("utf8")
  },
  mktemp: ({ args, frame, run }) => {
    const { operands, values } = parseOptions(args, new Set(["-p", "--tmpdir", "--suffix"]))
    for (const place of [...values("-p", "--tmpdir"), ...operands, ...(frame.vars.get("TMPDIR") ?? [])])
      if (isInHive(resolvePath(place, frame, run))) run.writes(place, frame)
    const isInTemporary = operands[0] === undefined || args.some((arg) => /^-[dqu]*t$/.test(arg))
    const path = isInTemporary ? "/tmp/mktemp" : (operands[0] ?? "")
    noteFolder(path, frame, run)
    return resolvePath(path, frame, run)
  },
  dirname: ({ args }) => onPath(args, posix.dirname),
  basename: ({ args }) => onPath(args, posix.basename),
  ...sameFor("realpath readlink", ({ args, frame, run }) =>
    onPath(args, (path) => resolvePath(path, frame, run)),
  ),
  which: ({ args }) => args.at(-1),
  date: () => UNKNOWN,
  id: () => UNKNOWN,
  nproc: () => "1",
  true: () => "",
  false: () => "",
  ":": () => "",
  "[": () => "",
  test: () => "",
})

/** `\.hivemind`, `^./.hivemind/`: a pattern that all names in HiveMind's folder fit. */
function meansHive(pattern: string): boolean {
  return HIVE_NAMED.test(pattern)
}

/** Unlike a pattern of the shell, it goes into folders whose names begin with a dot: HiveMind's own too. */
function namesFound({ args, frame, run }: Call, files: readonly string[]): string {
  const folders = (files.length === 0 ? ["."] : files).map((path) => resolvePath(path, frame, run))
  const hive = `${run.hive}/${HIVE_FOLDER}`
  const inside = folders.filter((folder) => isInHive(folder))
  if (inside.length > 0) return inside.map((folder) => `${folder}/**/*`).join("\n")
  if (!args.every(isKnown) || !folders.some((folder) => contains(folder, hive))) return UNKNOWN
  const left = [...args]
  for (const file of files.toReversed()) left.splice(left.lastIndexOf(file), 1)
  return UNKNOWN + listing({ ask: "found in hive", cwd: run.hive, args: left }, run)
}

function asReading(programs: Programs): Programs {
  const wrapped = Object.entries(programs).map(([name, program]): [string, Program] => [
    name,
    (call) => {
      call.run.addKind("read")
      const text = program(call)
      return text === undefined ? undefined : bounded(text)
    },
  ])
  return Object.fromEntries(wrapped)
}

function readFile(path: string, frame: Frame, run: Run): string {
  return run.files.get(resolvePath(path, frame, run)) ?? UNKNOWN
}

/** It prints part of what it reads; taken as all of it. */
function passOn({ args, frame }: Call): string {
  return parseOptions(args, new Set(["-n", "-c", "--lines", "--bytes"])).operands.length === 0
    ? frame.stdin
    : UNKNOWN
}

function onPath(args: readonly string[], change: (path: string) => string): string {
  const path = parseOptions(args).operands[0] ?? UNKNOWN
  return isKnown(path) ? change(path) : UNKNOWN
}

/** `%s` and its kind take the next value; the format starts again while values are left. */
function formatted(format: string, values: readonly string[]): string {
  const left = [...values]
  let text = ""
  do {
    const before = left.length
    text += format.replaceAll(/%(%|[-+ 0-9.]*[a-zA-Z])/g, (_, kind: string) =>
      kind === "%" ? "%" : (left.shift() ?? ""),
    )
    if (left.length === before) break
  } while (left.length > 0 && text.length < MAX_PRINTED)
  return text
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([ntr\\]|x[0-9a-fA-F]{1,2}|[0-7]{1,4})/g, (_, code: string) => {
    const number = code.startsWith("x") ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8)
    return ESCAPES[code] ?? String.fromCharCode(number)
  })
}

const UNIQ_VALUED = new Set(["-f", "-s", "-w"])
const GREP_VALUED = new Set(["-e", "-f", "-m", "-A", "-B", "-C", "--regexp", "--file"])
const HIVE_NAMED = /^\^?(\\?\.\/)?(\\?\.)?hivemind\/?$/
const XXD_VALUED = new Set(["-c", "-g", "-l", "-n", "-o", "-s"])
const ESCAPES: Record<string, string | undefined> = { n: "\n", t: "\t", r: "\r", "\\": "\\" }
const MAX_PRINTED = 65_536
