import { isGlob, segmentsMeet } from "../../shared/glob.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { childFrame } from "./frame.ts"
import { parseOptions, setOf } from "./options.ts"
import { contains, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"

/** Programs that run a command for each of many files. */
export const findAndXargs: Programs = {
  xargs: runXargs,
  parallel: runParallel,
  find: runFind,
  ...sameFor("fd fdfind", runFd),
}

function runXargs({ args, frame, run }: Call): string {
  const options = parseOptions(args, XARGS_VALUED, true)
  const words = options.operands.length === 0 ? ["echo"] : options.operands
  const inner = childFrame(frame, { sweep: true, stdin: "" })
  const [mark] = options.has("-i", "--replace") ? ["{}"] : options.values("-I")
  const given = options.has("-a", "--arg-file")
    ? [UNKNOWN]
    : itemsOf(
        frame.stdin,
        options.has("-0", "--null") ? /[\0\n]+/ : betweenItems(options.values("-d", "--delimiter")[0], mark),
      )
  if (mark === undefined) return run.runProgram([...words, ...given], inner)
  // In the program's own name nothing is filled in: `xargs -Iurl curl url`.
  const [program = "", ...others] = words
  const name = (item: string) => (program === mark ? item : program)
  for (const item of given)
    for (let turn = 0; turn < turnsOf(words, item); turn++)
      run.runProgram([name(item), ...filledIn(others, mark, item)], inner)
  return UNKNOWN
}

/** What is moved to one name file by file is looked at twice: the second takes the place of the first. */
function turnsOf([program]: readonly string[], item: string): number {
  return program === "mv" && (isGlob(item) || !isKnown(item)) ? 2 : 1
}

function runParallel({ args, frame, run }: Call): string {
  const options = parseOptions(args, PARALLEL_VALUED, true)
  const list = options.operands.findIndex((word) => /^::::?\+?$/.test(word))
  const words = list === -1 ? options.operands : options.operands.slice(0, list)
  const isFile = options.has("-a", "--arg-file") || options.operands[list]?.startsWith("::::")
  const items = list === -1 ? itemsOf(frame.stdin, /\n+/) : options.operands.slice(list + 1)
  const given = isFile ? [UNKNOWN] : items
  const inner = childFrame(frame, { sweep: true, stdin: "" })
  for (const item of given.slice(0, MAX_ITEMS)) run.runText(withItem(words, item).join(" "), inner)
  return UNKNOWN
}

function runFind({ args, frame, run }: Call): string {
  const { starts, expression } = splitFind(args.filter((arg) => arg !== ""))
  // Names at any depth; the top folder itself where all of it is meant.
  const below = expression[expression.indexOf("-maxdepth") + 1] === "1" ? "" : "**/"
  const found = starts.flatMap((start) => patternsOf(expression).map((name) => `${start}/${below}${name}`))
  // Unlike a pattern of the shell, it goes into folders whose names begin with a dot.
  // One inside another would double its work each time.
  if (below !== "" && !frame.sweep && !leavesHiveOut(expression))
    for (const start of starts)
      for (const name of patternsOf(expression))
        if (
          contains(resolvePath(start, frame, run), run.hive) &&
          HIVE_FILES.some((one) => segmentsMeet(one, name))
        )
          found.push(`${run.hive}/${HIVE_FOLDER}/**/${name}`)
  run.addKind("read")
  for (let at = 0; at < expression.length; at++) {
    const word = expression[at] ?? ""
    if (word === "-delete" && !isEmptyFolders(expression))
      run.runProgram(["rm", "-r", ...found], childFrame(frame, { sweep: true }))
    else if (/^-f(print|printf|print0|ls)$/.test(word)) run.writes(expression[at + 1] ?? "", frame)
    else if (/^-(exec|ok)(dir)?$/.test(word)) {
      const end = expression.findIndex(
        (one, i) => i > at && (one === ";" || (one === "+" && expression[i - 1] === "{}")),
      )
      const words = expression.slice(at + 1, end === -1 ? undefined : end)
      for (const one of found)
        for (let turn = 0; turn < turnsOf(words, one); turn++)
          run.runProgram(filledIn(words, "{}", one), childFrame(frame, { sweep: true, stdin: "" }))
      at += words.length
    }
  }
  return found.join("\n")
}

function runFd({ args, frame, run }: Call): string {
  const exec = args.findIndex((arg) => /^(-x|-X|--exec|--exec-batch)$/.test(arg))
  run.addKind("read")
  if (exec !== -1)
    run.runProgram(
      withItem(args.slice(exec + 1), fdPattern(args.slice(0, exec))),
      childFrame(frame, { sweep: true }),
    )
  return UNKNOWN
}

/** It looks for a part of a name, or for endings. */
function fdPattern(args: readonly string[]): string {
  const options = parseOptions(args, FD_VALUED)
  const [part = "", folder = "."] = options.operands
  const [ending] = options.values("-e", "--extension")
  if (!/^[\w.-]*$/.test(part) || (part === "" && ending === undefined)) return "*"
  return `${folder}/**/*${part}*${ending === undefined ? "" : `.${ending}`}`
}

function splitFind(args: readonly string[]): { starts: string[]; expression: readonly string[] } {
  let at = 0
  while (/^-[HLP]$|^-O\d?$/.test(args[at] ?? "")) at++
  const from = at
  while (at < args.length && !/^[-(!]/.test(args[at] ?? "")) at++
  return { starts: at === from ? ["."] : args.slice(from, at), expression: args.slice(at) }
}

/** `-not -path './.hivemind/*'`, `-path './.*' -prune`, and anything about files that git would not have. */
function leavesHiveOut(expression: readonly string[]): boolean {
  return expression.some(
    (word, at) =>
      /^-(i?path|i?wholename|i?name|i?regex)$/.test(word) &&
      /hivemind|\/\.\*|^\.\*|^\*\/\.|\\\//.test(expression[at + 1] ?? "") &&
      (/^(!|-not)$/.test(expression[at - 1] ?? "") || expression.includes("-prune")),
  )
}

function isEmptyFolders(expression: readonly string[]): boolean {
  return expression.includes("-empty") && expression[expression.indexOf("-type") + 1] === "d"
}

/**
 * The names it looks for; anything at all if the tests are too involved to say. What is left out (`-not -path …`, or
 * `… -prune -o`) only makes it less.
 */
function patternsOf(expression: readonly string[]): string[] {
  const found: string[] = []
  for (const tests of alternatives(expression)) {
    if (tests.at(-1) === "-prune") continue
    const names = tests.flatMap((word, at) => {
      const isWanted = /^-i?name$/.test(word) && !/^(!|-not)$/.test(tests[at - 1] ?? "")
      return isWanted ? (tests[at + 1] ?? "*") : []
    })
    const isGroupLeftOut = tests.some((word, at) => /^(!|-not)$/.test(word) && tests[at + 1] === "(")
    if (names.length === 0 || isGroupLeftOut) return ["*"]
    found.push(...names)
  }
  return found.length === 0 ? ["*"] : found
}

function alternatives(expression: readonly string[]): string[][] {
  const all: string[][] = [[]]
  for (const word of expression) {
    if (/^(-o|-or|,)$/.test(word)) all.push([])
    else all.at(-1)?.push(word)
  }
  return all
}

function itemsOf(stdin: string, between: RegExp): string[] {
  const items = stdin.split(between).filter((item) => item !== "")
  return items.length > MAX_ITEMS ? [...items.slice(0, MAX_ITEMS), UNKNOWN] : items
}

function betweenItems(delimiter: string | undefined, mark: string | undefined): RegExp {
  if (delimiter !== undefined && /^(\\0|\\x00)$/.test(delimiter)) return /[\0\n]+/
  if (delimiter !== undefined && /^[,:;|]$/.test(delimiter)) return new RegExp(`[${delimiter}\\n]+`)
  return mark === undefined && delimiter === undefined ? /\s+/ : /\n+/
}

function filledIn(words: readonly string[], mark: string, item: string): string[] {
  return words.map((word) => word.replaceAll(mark, () => item))
}

function withItem(words: readonly string[], item: string): string[] {
  return words.some((word) => word.includes("{}")) ? filledIn(words, "{}", item) : [...words, item]
}

const XARGS_VALUED = setOf(
  "-I -n -P -L -d -E -s -a --arg-file --max-args --max-procs --max-lines --delimiter --max-chars",
)
const PARALLEL_VALUED = setOf(
  "-j -a -N -n -S -I --jobs --colsep --joblog --delay --retries --timeout --arg-file",
)
const FD_VALUED = setOf(
  "-e --extension -t --type -d --max-depth --min-depth -E --exclude -S --size -c --color -j --threads",
)
const MAX_ITEMS = 64
/** The names of HiveMind's files, as patterns. */
const HIVE_FILES = ["x.json", "x.jsonl", "x.md", ".gitignore"]
