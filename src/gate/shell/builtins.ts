import { setArguments } from "./frame.ts"
import { parseOptions } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { runFile } from "./shells.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"

/** The shell's own commands: those that change what later ones see, and those that run text. */
export const builtins: Programs = {
  cd: changeFolder,
  pushd: changeFolder,
  popd: ({ frame, run }) => {
    frame.cwd = UNKNOWN
    run.addKind("read")
    return ""
  },
  pwd: ({ frame, run }) => {
    run.addKind("read")
    return frame.cwd
  },
  eval: ({ args, frame, run }) => run.runText(args.join(" "), frame),
  source: sourceFile,
  ".": sourceFile,
  trap: ({ args, frame, run }) => {
    run.addKind("read")
    const [text = "-"] = parseOptions(args).operands
    if (text !== "-" && text !== "") run.atEnd(() => run.runText(text, frame))
    return ""
  },
  set: ({ args, frame, run }) => {
    run.addKind("read")
    const dashes = args.indexOf("--")
    if (dashes !== -1) setArguments(frame.vars, args.slice(dashes + 1))
    return ""
  },
  unset: ({ args, frame, run }) => {
    run.addKind("read")
    for (const name of args) frame.vars.set(name, [])
    return ""
  },
  /** One line is what it reads; of several, the loop around it takes each, so the value cannot be known. */
  ...sameFor("read mapfile readarray", ({ args, frame, run }) => {
    const lines = frame.stdin.split("\n").filter((line) => line !== "")
    const value = lines.length === 1 && isKnown(frame.stdin) ? (lines[0] ?? UNKNOWN) : UNKNOWN
    for (const name of parseOptions(args, READ_VALUED).operands) frame.vars.set(name, [value])
    run.addKind("read")
    return ""
  }),
}

function changeFolder({ args, frame, run }: Call): string {
  const [folder] = parseOptions(args).operands
  frame.cwd = folder === "-" ? UNKNOWN : resolvePath(folder ?? "~", frame, run)
  frame.vars.set("PWD", [frame.cwd])
  run.addKind("read")
  return ""
}

function sourceFile({ args, frame, run }: Call): string {
  const [path = UNKNOWN] = args
  return runFile(path, args.slice(1), frame, frame, run)
}

const READ_VALUED = new Set(["-d", "-n", "-N", "-p", "-t", "-u", "-i"])
