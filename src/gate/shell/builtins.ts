import { HOLE, isKnown } from "./hole.ts"
import { parseOptions } from "./options.ts"
import { placeOf } from "./places.ts"
import { type Call, type Programs, setPositions } from "./run.ts"
import { runFile } from "./shells.ts"

/** The shell's own commands: those that change what later ones see, and those that run text. */
export const builtins: Programs = {
  cd: changeFolder,
  pushd: changeFolder,
  popd: ({ frame, run }) => {
    frame.cwd = HOLE
    run.does("read")
    return ""
  },
  pwd: ({ frame, run }) => {
    run.does("read")
    return frame.cwd
  },
  eval: ({ args, frame, run }) => run.text(args.join(" "), frame),
  source: sourceFile,
  ".": sourceFile,
  trap: ({ args, frame, run }) => {
    run.does("read")
    const [text = "-"] = parseOptions(args).operands
    if (text !== "-" && text !== "") run.later(() => run.text(text, frame))
    return ""
  },
  set: ({ args, frame, run }) => {
    run.does("read")
    const dashes = args.indexOf("--")
    if (dashes !== -1) setPositions(frame.vars, args.slice(dashes + 1))
    return ""
  },
  unset: ({ args, frame, run }) => {
    run.does("read")
    for (const name of args) frame.vars.set(name, [])
    return ""
  },
  read: readInto,
  mapfile: readInto,
  readarray: readInto,
}

function changeFolder({ args, frame, run }: Call): string {
  const [folder] = parseOptions(args).operands
  frame.cwd = folder === "-" ? HOLE : placeOf(folder ?? "~", frame, run)
  frame.vars.set("PWD", [frame.cwd])
  run.does("read")
  return ""
}

function sourceFile({ args, frame, run }: Call): string {
  const [path = HOLE] = args
  return runFile(path, args.slice(1), frame, frame, run)
}

/** One line is what it reads; of several, the loop around it takes each, so the value cannot be known. */
function readInto({ args, frame, run }: Call): string {
  const lines = frame.stdin.split("\n").filter((line) => line !== "")
  const value = lines.length === 1 && isKnown(frame.stdin) ? (lines[0] ?? HOLE) : HOLE
  for (const name of parseOptions(args, READ_VALUED).operands) frame.vars.set(name, [value])
  run.does("read")
  return ""
}

const READ_VALUED = new Set(["-d", "-n", "-N", "-p", "-t", "-u", "-i"])
