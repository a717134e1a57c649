import { type Frame, setArguments } from "./frame.ts"
import { parseOptions } from "./options.ts"
import { MAX_WORD_CHARS, resolvePath } from "./paths.ts"
import { type Call, type Programs, type Run, sameFor } from "./program.ts"
import { runFile } from "./shells.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"

/** The shell's own commands: those that change what later ones see, and those that run text. */
export const builtins: Programs = {
  cd: ({ args, frame, run }) => {
    const [folder = "~"] = parseOptions(args).operands
    return go(folder === "-" ? (frame.vars.get("OLDPWD")?.[0] ?? UNKNOWN) : folder, frame, run)
  },
  pushd: ({ args, frame, run }) => {
    const [folder = UNKNOWN] = parseOptions(args).operands
    frame.vars.set(STACK, [frame.cwd, ...(frame.vars.get(STACK) ?? [])].slice(0, MAX_STACK))
    return go(/^[+-]\d+$/.test(folder) ? UNKNOWN : folder, frame, run)
  },
  popd: ({ frame, run }) => {
    const [folder = UNKNOWN, ...rest] = frame.vars.get(STACK) ?? []
    frame.vars.set(STACK, rest)
    return go(folder, frame, run)
  },
  shopt: ({ args, run }) => {
    if (args.includes("-s") && args.includes("dotglob")) run.shell.dotglob = true
    run.addKind("read")
    return ""
  },
  pwd: ({ frame, run }) => {
    run.addKind("read")
    return frame.cwd
  },
  eval: ({ args, frame, run }) => {
    if (!args.every(isKnown)) frame.env.open()
    return run.runText(args.join(" "), frame)
  },
  // `export $(cat .env)`.
  ...sameFor("export declare typeset local readonly", ({ args, frame, run }) => {
    run.addKind("read")
    if (args.some((arg) => !isKnown(arg.split("=")[0] ?? ""))) frame.env.open()
    return ""
  }),
  // Without arguments it finds no options.
  getopts: ({ args, frame, run }) => {
    run.addKind("read")
    const isEmpty = frame.env.isRead && (frame.vars.get("@") ?? []).length === 0
    for (const name of [args[1] ?? "", "OPTARG", "OPTIND"]) frame.vars.set(name, isEmpty ? [] : [UNKNOWN])
    return ""
  },
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
    const options = dashes === -1 ? args : args.slice(0, dashes)
    for (const [at, option] of options.entries()) {
      const sign =
        /^([-+])[a-z]*e/.exec(option)?.[1] ?? (option === "errexit" ? args[at - 1]?.[0] : undefined)
      if (sign !== undefined) run.done.endsAtFailure = sign === "-"
      if (/^-[a-z]*u/.test(option) || (option === "nounset" && args[at - 1] === "-o"))
        frame.env.endsAtUnset = true
    }
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

function go(folder: string, frame: Frame, run: Run): string {
  frame.vars.set("OLDPWD", [frame.cwd])
  if (folder.length > MAX_WORD_CHARS) run.destroys("goes to a folder whose path is too long to follow")
  const cwd = resolvePath(folder, frame, run)
  // From folder to folder, over and over, it grows with every step.
  frame.cwd = cwd.length > MAX_CWD_CHARS ? UNKNOWN : cwd
  frame.vars.set("PWD", [frame.cwd])
  run.addKind("read")
  return ""
}

function sourceFile({ args, frame, run }: Call): string {
  const [path = UNKNOWN] = args
  return runFile(path, args.slice(1), frame, frame, run)
}

const READ_VALUED = new Set(["-d", "-n", "-N", "-p", "-t", "-u", "-i"])
/** Among the variables, which every part of a command sees; no variable of a user's has such a name. */
const STACK = "DIRSTACK[]"
const MAX_STACK = 20
const MAX_CWD_CHARS = 512
