import { HOLE, readable } from "./hole.ts"
import { parseOptions, setOf } from "./options.ts"
import { placeOf } from "./places.ts"
import { type Call, child, type Frame, type Program, type Programs, type Run, withPositions } from "./run.ts"

/** Programs that run shell text: from an option, a file, or what is piped into them. */
export const shells: Programs = {
  ...Object.fromEntries(
    ["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash"].map((name): [string, Program] => [
      name,
      runShell,
    ]),
  ),
  su: runCommandOption,
  runuser: runCommandOption,
  script: runCommandOption,
  "nix-shell": runCommandOption,
  at: runLater,
  batch: runLater,
  watch: runWords,
  ssh: runRemote,
  tmux: runQuoted,
  concurrently: runQuoted,
  nodemon: runQuoted,
}

/** Runs the text of a file, if this very command wrote or downloaded it; any other cannot be seen. */
export function runFile(path: string, args: readonly string[], shown: Frame, frame: Frame, run: Run): string {
  const text = run.files.get(placeOf(path, shown, run))
  if (text === undefined || text === HOLE) {
    run.unseen(`what ${path} does`)
    run.does("other")
    return HOLE
  }
  const inner = { ...frame, vars: args.length === 0 ? frame.vars : withPositions(frame.vars, args) }
  const printed = run.text(text, inner)
  frame.cwd = inner.cwd
  return printed
}

function runShell({ args, frame, run }: Call): string {
  const options = parseOptions(args, SHELL_VALUED, true)
  const [first, ...rest] = options.operands
  if (options.has("-n", "--version", "--help")) {
    run.does("read")
    return HOLE
  }
  if (options.has("-c") && first !== undefined)
    return run.text(first, child(frame, { vars: withPositions(frame.vars, rest.slice(1)) }))
  if (first !== undefined && first !== "-" && !options.has("-s"))
    return runFile(first, rest, frame, child(frame), run)
  run.does("other")
  if (frame.stdin === HOLE) run.unseen("text that a shell reads from a pipe or a file")
  return frame.stdin === HOLE
    ? HOLE
    : run.text(frame.stdin, child(frame, { stdin: "", vars: withPositions(frame.vars, options.operands) }))
}

/** `su -c "…"`, `script -c "…"`, `nix-shell --run "…"`. */
function runCommandOption({ args, frame, run }: Call): string {
  const texts = parseOptions(args, COMMAND_VALUED).values("-c", "--command", "--run")
  if (texts.length === 0) run.does("other")
  for (const text of texts) run.text(text, child(frame))
  return HOLE
}

function runLater({ frame, run }: Call): string {
  run.does("other")
  return run.text(frame.stdin, child(frame, { stdin: "" }))
}

function runWords({ args, frame, run }: Call): string {
  return run.text(parseOptions(args, WATCH_VALUED, true).operands.join(" "), child(frame))
}

function runRemote({ args, frame, run }: Call): string {
  const [, ...words] = parseOptions(args, SSH_VALUED, true).operands
  const text = words.length > 0 ? words.join(" ") : frame.stdin
  run.does("other")
  run.unseen(`what happens on the other machine${text === "" ? "" : `: ${readable(text)}`}`)
  const stdin = words.length > 0 ? frame.stdin : ""
  return text === HOLE ? HOLE : run.text(text, child(frame, { cwd: HOLE, elsewhere: true, stdin }))
}

/** They take whole commands as one word each; a word without a blank is a name or an option. */
function runQuoted({ args, frame, run }: Call): string {
  run.does("other")
  for (const arg of args) if (/\s/.test(arg)) run.text(arg, child(frame))
  return HOLE
}

const SHELL_VALUED = setOf("-O -o --rcfile --init-file")
const COMMAND_VALUED = setOf("-c --command --run -s --shell -g -G -u -p -A -I")
const WATCH_VALUED = setOf("-n --interval")
const SSH_VALUED = setOf("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B")
