import { judgeCode } from "./code.ts"
import { DOWNLOAD, HOLE, readable } from "./hole.ts"
import { parseOptions, setOf } from "./options.ts"
import { placeOf } from "./places.ts"
import type { Call, Program, Programs } from "./run.ts"

/** Programs that run another language: code in an option or piped in is looked over, a file cannot be seen. */
export const interpreters: Programs = {
  ...language("python python2 python3 pypy pypy3 py", "-c", "-W -X"),
  ...language(
    "node nodejs tsx ts-node",
    "-e --eval -p --print",
    "-r --require --import --loader --env-file -C",
  ),
  ...language("perl", "-e -E", "-I -M -m"),
  ...language("ruby", "-e", "-I -r -C"),
  ...language("php", "-r", "-d -c -f"),
  ...language("lua luajit", "-e", "-l"),
  ...language("osascript", "-e", "-l"),
}

function language(names: string, code: string, others: string): Programs {
  const codeOptions = code.split(" ")
  const valued = setOf(`${code} ${others} -m`)
  const program: Program = (call) => runInterpreter(call, codeOptions, valued)
  return Object.fromEntries(names.split(" ").map((name): [string, Program] => [name, program]))
}

function runInterpreter(
  call: Call,
  codeOptions: readonly string[],
  valued: ReadonlySet<string>,
): string | undefined {
  const { name, args, frame, run } = call
  const module = name.startsWith("py") ? args.indexOf("-m") : -1
  if (module !== -1) return run.argv(args.slice(module + 1), frame)
  // perl -pi -e '…' files, and `-i.bak` or `-pie` glued together.
  const inPlace = (name === "perl" || name === "ruby") && args.some((arg) => /^-[pnlaw0]*i/.test(arg))
  const words = inPlace ? args.filter((arg) => !/^-[pnlaw0]*i[^e]*$/.test(arg)) : args
  const options = parseOptions(
    words.map((word) => (inPlace && /^-[pnlaw0]*i\S*e$/.test(word) ? "-e" : word)),
    valued,
    true,
  )
  if (options.has("--test")) run.does("test")
  if (options.has("--version", "--help") || /^-[vV]$/.test(args[0] ?? "")) {
    run.does("read")
    return HOLE
  }
  if (options.has("--check")) {
    run.does("build")
    return HOLE
  }
  const codes = options.values(...codeOptions)
  if (inPlace) for (const file of options.operands) run.writes(file, frame)
  if (codes.length > 0) {
    for (const one of codes) look(one, call)
    return undefined
  }
  const [script] = options.operands
  if (script !== undefined && script !== "-") {
    const text = run.files.get(placeOf(script, frame, run))
    if (text !== undefined && text !== HOLE) look(text, call)
    else run.unseen(`what ${readable(script)} does`)
  } else if (frame.stdin !== "") look(frame.stdin, call)
  run.does(options.has("--test") ? "test" : "other")
  return undefined
}

function look(code: string, { name, frame, run }: Call): void {
  run.does("other")
  if (code.includes(DOWNLOAD) && code.replaceAll(DOWNLOAD, "").trim() === "") {
    run.destroys(`runs a download without a look at it (${name})`)
    return
  }
  run.unseen(`what the ${name} code does`)
  judgeCode(code, frame, run)
}
