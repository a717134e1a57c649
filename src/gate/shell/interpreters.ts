import { posix } from "node:path"
import { fileKind, programKind } from "./command-kind.ts"
import { judgeCode } from "./embedded-code.ts"
import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { DOWNLOADED, UNKNOWN } from "./unknown-text.ts"

/** Programs that run another language: code in an option or piped in is looked over, a file is not read. */
export const interpreters: Programs = {
  ...language("python pypy pypy3 py", "-c", "-W -X"),
  ...language(
    "node nodejs tsx ts-node",
    "-e --eval -p --print",
    "-r --require --import --loader --env-file -C",
  ),
  ...language("perl", "-e -E", "-I -M -m"),
  ...language("ruby", "-e", "-I -r -C"),
  ...language("php", "-r", "-d -c -f"),
  ...language("lua luajit osascript", "-e", "-l"),
  // What it runs, it runs as Python does.
  coverage: ({ args, frame, run }) => {
    if (args[0] === "run") return run.runProgram(["python", ...args.slice(1)], frame)
    run.addKind("other")
    return undefined
  },
  deno: (call) => {
    const [verb, ...rest] = call.args
    if (verb !== "eval") call.run.addKind(programKind("deno", call.args) ?? "other")
    else for (const code of parseOptions(rest, setOf("--ext")).operands) judge(code, call)
    return undefined
  },
}

function language(names: string, code: string, others: string): Programs {
  const codeOptions = code.split(" ")
  const valued = setOf(`${code} ${others} -m`)
  return sameFor(names, (call) => runInterpreter(call, codeOptions, valued))
}

function runInterpreter(
  call: Call,
  codeOptions: readonly string[],
  valued: ReadonlySet<string>,
): string | undefined {
  const { name, args, frame, run } = call
  const module = name.startsWith("py") ? args.indexOf("-m") : -1
  if (module !== -1) {
    run.addKind(args[module + 1] === "build" ? "build" : "other")
    return run.runProgram(args.slice(module + 1), frame)
  }
  if (name === "php" && args[0] === "artisan") return run.runProgram(args, frame)
  // perl -pi -e '…' files, and `-i.bak` or `-pie` glued together.
  const inPlace = (name === "perl" || name === "ruby") && args.some((arg) => /^-[pnlaw0]*i/.test(arg))
  const words = inPlace ? args.filter((arg) => !/^-[pnlaw0]*i[^e]*$/.test(arg)) : args
  const options = parseOptions(
    words.map((word) => (inPlace && /^-[pnlaw0]*i\S*e$/.test(word) ? "-e" : word)),
    valued,
    true,
  )
  if (options.has("--test")) run.addKind("test")
  if (options.has("--version", "--help") || /^-[vV]$/.test(args[0] ?? "")) {
    run.addKind("read")
    return UNKNOWN
  }
  if (options.has("--check")) {
    run.addKind("build")
    return UNKNOWN
  }
  if (inPlace) for (const file of options.operands) run.writes(file, frame)
  // `-n` without a word of printing leaves nothing of the file.
  const isSilent = args.some((arg) => /^-[plaw0i]*n/.test(arg))
  if (inPlace && isSilent && !options.values(...codeOptions).some((code) => /print|say|puts/.test(code)))
    for (const file of options.operands) judgeReplacement(file, frame, run)
  run.addKind("other")
  const codes = options.values(...codeOptions)
  if (codes.length > 0) {
    for (const code of codes) judge(code, call)
    return undefined
  }
  const [script, verb = ""] = options.operands
  if (script !== undefined && script !== "-") {
    // Some have verbs of their own: Django's runner, say.
    run.addKind(programKind(posix.basename(script), [verb]) ?? fileKind(script))
    const text = run.files.get(resolvePath(script, frame, run))
    if (text !== undefined && text !== UNKNOWN) judge(text, call)
  } else if (frame.stdin !== "") judge(frame.stdin, call)
  return undefined
}

function judge(code: string, { name, frame, run }: Call): void {
  if (code.includes(DOWNLOADED) && code.replaceAll(/[\uE001\uE003]/g, "").trim() === "")
    run.destroys(`runs a download without a look at it (${name})`)
  else judgeCode(code, frame, run)
}
