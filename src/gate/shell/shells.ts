import { fileKind } from "./command-kind.ts"
import { childFrame, type Frame, withArguments } from "./frame.ts"
import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Programs, type Run, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { UNKNOWN } from "./unknown-text.ts"

/** Programs that run shell text: from an option, a file, or what is piped into them. */
export const shells: Programs = {
  ...sameFor("sh bash zsh dash ksh mksh ash fish rbash", runShell),
  ...sameFor("su runuser", (call) => runOption(call, SU_VALUED)),
  // What is printed is kept in a file too. The command comes after that file on macOS.
  script: (call) => {
    const { frame, run } = call
    const options = parseOptions(call.args, SCRIPT_VALUED)
    const [file = "typescript", ...words] = options.operands
    const files = options.values("-O", "--log-out", "-B", "--log-io", "-I", "--log-in", "-T", "--log-timing")
    for (const one of files.length > 0 ? files : [file]) {
      run.writes(one, frame)
      if (!options.has("-a", "--append")) judgeReplacement(one, frame, run)
    }
    if (words.length > 0) return run.runProgram(words, childFrame(frame))
    return runOption(call, SCRIPT_VALUED)
  },
  "nix-shell": (call) => runOption(call, NIX_SHELL_VALUED),
  ...sameFor("at batch", ({ frame, run }) => {
    run.addKind("other")
    return run.runText(frame.stdin, childFrame(frame, { stdin: "" }))
  }),
  watch: ({ args, frame, run }) =>
    run.runText(parseOptions(args, WATCH_VALUED, true).operands.join(" "), childFrame(frame)),
  ssh: runRemote,
  // They take whole commands as one word each; a word without a blank is a name or an option.
  ...sameFor("tmux concurrently nodemon", ({ args, frame, run }) => {
    run.addKind("other")
    for (const arg of args) if (/\s/.test(arg)) run.runText(arg, childFrame(frame))
    return UNKNOWN
  }),
}

/** Runs the text of a file if this very command wrote or downloaded it; any other is not read. */
export function runFile(
  path: string,
  args: readonly string[],
  caller: Frame,
  frame: Frame,
  run: Run,
): string {
  const text = run.files.get(resolvePath(path, caller, run))
  if (text === undefined || text === UNKNOWN) {
    run.addKind(caller === frame ? "other" : fileKind(path))
    return UNKNOWN
  }
  // What is sourced shares its variables.
  const vars = args.length === 0 ? frame.vars : withArguments(frame.vars, args)
  const inner = { ...frame, vars }
  const [name, source] = [vars.get("0") ?? [], vars.get("BASH_SOURCE") ?? []]
  vars.set("0", [path]).set("BASH_SOURCE", [path])
  const printed = run.runText(text, inner, caller === frame)
  vars.set("0", name).set("BASH_SOURCE", source)
  frame.cwd = inner.cwd
  return printed
}

function runShell({ args, frame, run }: Call): string {
  const options = parseOptions(args, SHELL_VALUED, true)
  const [first, ...rest] = options.operands
  if (options.has("-n", "--version", "--help")) {
    run.addKind("read")
    return UNKNOWN
  }
  if (options.has("-c") && first !== undefined) {
    const vars = withArguments(frame.vars, rest.slice(1)).set("0", rest.slice(0, 1))
    vars.errexit = options.has("-e") ? "on" : "off"
    return run.runText(first, childFrame(frame, { vars }), true)
  }
  if (first !== undefined && first !== "-" && !options.has("-s"))
    return runFile(first, rest, frame, childFrame(frame), run)
  run.addKind("other")
  if (frame.stdin === UNKNOWN) return UNKNOWN
  const vars = withArguments(frame.vars, options.operands)
  return run.runText(frame.stdin, childFrame(frame, { stdin: "", vars }))
}

/** `su -c "…"`, `script -c "…"`, `nix-shell --run "…"`. */
function runOption({ args, frame, run }: Call, valued: ReadonlySet<string>): string {
  const texts = parseOptions(args, valued).values("-c", "--command", "--run")
  if (texts.length === 0) run.addKind("other")
  for (const text of texts) run.runText(text, childFrame(frame))
  return UNKNOWN
}

function runRemote({ args, frame, run }: Call): string {
  const [, ...words] = parseOptions(args, SSH_VALUED, true).operands
  const text = words.length > 0 ? words.join(" ") : frame.stdin
  const stdin = words.length > 0 ? frame.stdin : ""
  run.addKind("other")
  if (text === UNKNOWN) return UNKNOWN
  return run.runText(text, childFrame(frame, { cwd: UNKNOWN, elsewhere: true, stdin }))
}

const SHELL_VALUED = setOf("-O -o --rcfile --init-file")
const SU_VALUED = setOf("-c --command -s --shell -g -G -u")
const SCRIPT_VALUED = setOf(
  "-c --command -O --log-out -B --log-io -I --log-in -T --log-timing -o --output-limit -E --echo -m",
)
const NIX_SHELL_VALUED = setOf("--command --run -p -A -I")
const WATCH_VALUED = setOf("-n --interval")
const SSH_VALUED = setOf("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B")
