import { childFrame, type Frame, setArguments } from "./frame.ts"
import { withSetting } from "./hive-words.ts"
import { parseOptions } from "./options.ts"
import { isInHive, MAX_WORD_CHARS, resolvePath } from "./paths.ts"
import { type Call, type Programs, type Run, sameFor } from "./program.ts"
import { runFile } from "./shells.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"
import { STACK, Variables } from "./variables.ts"

/** The shell's own commands: those that change what later ones see, and those that run text. */
export const builtins: Programs = {
  cd: ({ args, frame, run }) => {
    const [folder = "~"] = parseOptions(args).operands
    if (folder === "-") return go(frame.vars.get("OLDPWD")?.[0] ?? UNKNOWN, frame, run)
    return go(frame.vars.has("CDPATH") ? inPath(folder, frame, run) : folder, frame, run)
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
    if (args.includes("-s") && args.includes("lastpipe")) run.shell.lastpipe = true
    run.addKind("read")
    return ""
  },
  pwd: ({ frame, run }) => {
    run.addKind("read")
    return frame.cwd
  },
  eval: ({ args, frame, run }) => {
    const printed = run.runText(args.join(" "), frame, true)
    if (!args.every(isKnown)) frame.vars.forget()
    return printed
  },
  ...sameFor("export declare typeset local readonly", declare),
  getopts: ({ args, frame, run }) => {
    run.addKind("read")
    for (const name of [args[1] ?? UNKNOWN, "OPTARG", "OPTIND"]) frame.vars.setNamed(name, [UNKNOWN])
    return ""
  },
  return: ({ frame, run }) => leave(frame, frame.returns, run),
  ...sameFor("break continue", ({ frame, run }) => leave(frame, frame.breaks, run)),
  source: sourceFile,
  ".": sourceFile,
  trap: ({ args, frame, run }) => {
    run.addKind("read")
    const [text = "-", ...signals] = parseOptions(args).operands
    if (text === "-" || text === "") return ""
    run.atEnd(() => run.runText(text, frame, true))
    if (signals.every((signal) => /^(EXIT|0)$/i.test(signal))) return ""
    // It may run between any two commands.
    const inner = childFrame(frame)
    run.runText(text, inner, true)
    for (const name of inner.vars.setSince(frame.vars)) frame.vars.changeAtAnyTime(name)
    if (!isKnown(text)) frame.vars.alias()
    return ""
  },
  shift: ({ args, frame, run }) => {
    run.addKind("read")
    const [count = "1"] = args
    const given = frame.vars.get("@") ?? [UNKNOWN]
    const isCounted = /^\d+$/.test(count) && given.every(isKnown)
    setArguments(frame.vars, isCounted ? given.slice(Number(count)) : [UNKNOWN])
    return ""
  },
  history: ({ args, frame, run }) => {
    run.addKind("read")
    const { has, operands } = parseOptions(args)
    if (has("-w", "-a")) run.writes(operands[0] ?? frame.vars.get("HISTFILE")?.[0] ?? "", frame)
    return UNKNOWN
  },
  set: ({ args, frame, run }) => {
    run.addKind("read")
    const dashes = args.indexOf("--")
    const options = dashes === -1 ? args : args.slice(0, dashes)
    for (const [at, option] of options.entries()) {
      const sign =
        /^([-+])[a-z]*e/.exec(option)?.[1] ?? (option === "errexit" ? args[at - 1]?.[0] : undefined)
      if (sign === "+") frame.vars.errexit = "off"
      else if (sign === "-" && frame.vars.errexit !== "ignored") frame.vars.errexit = "on"
    }
    if (dashes !== -1) setArguments(frame.vars, args.slice(dashes + 1))
    return ""
  },
  unset: ({ args, frame, run }) => {
    run.addKind("read")
    for (const name of args) if (!name.startsWith("-")) frame.vars.setNamed(name, [])
    return ""
  },
  /** One line is what it reads; of several, the loop around it takes each, so the value cannot be known. */
  read: ({ args, frame, run }) => {
    const lines = frame.stdin.split("\n").filter((line) => line !== "")
    const value = lines.length === 1 && isKnown(frame.stdin) ? (lines[0] ?? UNKNOWN) : UNKNOWN
    const options = parseOptions(args, READ_VALUED)
    const [only = "REPLY", ...more] = [...options.values("-a"), ...options.operands]
    for (const name of [only, ...more]) frame.vars.setNamed(name, [more.length > 0 ? UNKNOWN : value])
    run.addKind("read")
    return ""
  },
  ...sameFor("mapfile readarray", ({ args, frame, run }) => {
    const [name = "MAPFILE"] = parseOptions(args, MAPFILE_VALUED).operands
    frame.vars.setNamed(name, [UNKNOWN])
    run.addKind("read")
    return ""
  }),
}

/** `export "T=src"`; an assignment that the parser has seen as one is done by then. */
function declare({ name, args, frame, run }: Call): string {
  run.addKind("read")
  const options = args.filter((arg) => /^[-+]/.test(arg)).join("")
  // Another name for a variable.
  if (/-\w*n/.test(options) && name !== "export") frame.vars.alias()
  for (const arg of args) {
    const [, variable = "", value] = /^(\w+)(?:\+?=([\s\S]*))?$/.exec(arg) ?? []
    // A name that nobody knows: `export $(cat .env)`.
    if (variable === "" && !isKnown(arg)) frame.vars.forget()
    if (variable !== "" && (name === "export" || /-\w*x/.test(options)))
      frame.settings = withSetting(variable, value ?? frame.vars.known(variable).join(" "), frame, run)
    if (variable === "" || (name === "export" && value === undefined)) continue
    if (
      frame.calls.length > 0 &&
      (name === "local" || (/^(declare|typeset)$/.test(name) && !options.includes("g")))
    ) {
      frame.locals.add(variable)
      if (value === undefined) frame.vars.set(variable, [])
    }
    if (value !== undefined && (frame.vars.get(variable) ?? []).join(" ") !== value)
      frame.vars.set(variable, arg.startsWith(`${variable}+`) ? [UNKNOWN] : [value])
  }
  return ""
}

/** From here the function, or the loop, is left with the variables as they are. */
function leave(frame: Frame, left: Variables[], run: Run): string {
  run.addKind("read")
  const [first] = left
  if (first === undefined) left.push(Variables.copyOf(frame.vars))
  else first.addOutcome(frame.vars)
  return ""
}

/** With `CDPATH` it may be in any of its folders; HiveMind's is the one that must not be missed. */
function inPath(folder: string, frame: Frame, run: Run): string {
  if (/^(\/|\.\.?(\/|$)|~)/.test(folder)) return folder
  const places = (frame.vars.get("CDPATH") ?? []).join(":").split(":")
  const hive = places.find((place) => isInHive(resolvePath(`${place}/${folder}`, frame, run)))
  return hive === undefined ? UNKNOWN : `${hive}/${folder}`
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
  // What stands in it is known where this very command has written it.
  if (!isKnown(run.files.get(resolvePath(path, frame, run)) ?? UNKNOWN)) frame.vars.forget()
  return runFile(path, args.slice(1), frame, frame, run)
}

const MAPFILE_VALUED = new Set(["-d", "-n", "-O", "-s", "-u", "-C", "-c"])
const READ_VALUED = new Set(["-a", "-d", "-n", "-N", "-p", "-t", "-u", "-i"])
const MAX_STACK = 20
const MAX_CWD_CHARS = 512
