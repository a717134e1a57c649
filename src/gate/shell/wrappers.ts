import { scriptKind } from "./command-kind.ts"
import { childFrame } from "./frame.ts"
import { withSetting } from "./hive-words.ts"
import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import type { Call, Program, Programs } from "./program.ts"
import { UNKNOWN } from "./unknown-text.ts"

/** Programs that run the command in their own words. */
export const wrappers: Programs = {
  ...prefixes({
    sudo: "-u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --chdir --host --role --type",
    doas: "-u -C",
    pkexec: "--user",
    nice: "-n --adjustment",
    ionice: "-c -n --class --classdata",
    nohup: "",
    setsid: "",
    stdbuf: "-i -o -e --input --output --error",
    time: "-f -o --format --output",
    exec: "-a",
    caffeinate: "-t -w",
    "xvfb-run": "-s -n -e -f --server-args --server-num",
    "systemd-run": "-p -u -t --unit --property --uid --gid",
    strace: "-o -e -p -s -E",
    unshare: "",
    busybox: "",
    shx: "",
    "cross-env": "",
    dotenv: "-e -f -v",
    entr: "",
    screen: "-S -t -c -e -h -p",
  }),
  ...prefixes({ timeout: "-s -k --signal --kill-after", flock: "-w -E --timeout", chroot: "" }, 1),
  ...afterWord({
    poetry: "run",
    uv: "run",
    pipenv: "run",
    pdm: "run",
    hatch: "run",
    rye: "run",
    conda: "run",
    bundle: "exec",
    asdf: "exec",
    rbenv: "exec",
    lerna: "exec",
    doppler: "run",
    op: "run",
    mise: "exec x",
    direnv: "exec",
    "aws-vault": "exec",
    nix: "develop shell",
  }),
  env: ({ name, args, frame, run }) => {
    const options = parseOptions(args, ENV_VALUED, true)
    const [folder] = options.values("-C", "--chdir")
    const inner = childFrame(frame, folder === undefined ? {} : { cwd: resolvePath(folder, frame, run) })
    const [text] = options.values("-S", "--split-string")
    if (text !== undefined) return run.runText([text, ...options.operands].join(" "), inner)
    return runAssigned(options.operands, { name, args, frame: inner, run })
  },
  // In the shell itself: `builtin cd x` goes there.
  builtin: ({ args, frame, run }) => run.runProgram(args, frame),
  command: ({ args, frame, run }) => {
    const options = parseOptions(args, undefined, true)
    if (!options.has("-v", "-V")) return run.runProgram(options.operands, frame)
    run.addKind("read")
    return options.operands[0]
  },
}

/** `table` lists the options that take a value; `skipped` words come before the command, such as a time. */
function prefixes(table: Record<string, string>, skipped = 0): Programs {
  const programs: [string, Program][] = Object.entries(table).map(([name, options]) => {
    const valued = setOf(options)
    return [
      name,
      (call) => {
        const options = parseOptions(call.args, valued, true)
        const words = options.operands.slice(skipped)
        // `time -o f`, `strace -o f`; `stdbuf -oL` is no file.
        for (const file of options.values("-o", "--output"))
          if (/[./]/.test(file)) call.run.writes(file, call.frame)
        if (name === "flock" && /^(-c|--command)$/.test(words[0] ?? ""))
          return call.run.runText(words[1] ?? "", childFrame(call.frame))
        return runAssigned(words, call)
      },
    ]
  })
  return Object.fromEntries(programs)
}

/** `poetry run …`, `bundle exec …`; with another word after the name they are their own tools. */
function afterWord(table: Record<string, string>): Programs {
  const programs: [string, Program][] = Object.entries(table).map(([name, verbs]) => [
    name,
    ({ args, frame, run }) => {
      const [verb = ""] = args
      if (setOf(verbs).has(verb)) {
        const words = parseOptions(args.slice(1), RUN_VALUED, true).operands
        // What comes first may be an environment: `mise exec node@20 -- …`.
        const isAfter = (word: string, at: number) =>
          BEFORE_COMMAND.has(word) || (at === 0 && ONE_FIRST.has(name) && !words.some((one) => one === "--"))
        const start = ENVIRONMENT_FIRST.has(name) ? words.findIndex(isAfter) : -1
        const [program = "", ...rest] = words.slice(start + 1)
        // A script of the project's may be called like a program: `pdm run test`.
        if (verb === "run" && scriptKind(program) !== "other") run.addKind(scriptKind(program))
        return run.runProgram([program, ...rest], childFrame(frame))
      }
      if (/^(add|remove|update|lock)$/.test(verb))
        for (const file of MANIFESTS.get(name) ?? []) run.writes(file, frame)
      // `hatch test`, `poetry build`, `lerna run test`.
      run.addKind(scriptKind(verb === "run" ? (args[1] ?? "") : verb))
      return UNKNOWN
    },
  ])
  return Object.fromEntries(programs)
}

/** `A=b` in front of the command is its environment. */
function runAssigned(words: readonly string[], { frame, run }: Call): string {
  const inner = childFrame(frame)
  let at = 0
  for (; at < words.length; at++) {
    const pair = /^(\w+)=(.*)$/s.exec(words[at] ?? "")
    if (pair === null) break
    const [, variable = "", value = ""] = pair
    inner.vars.set(variable, [value])
    inner.settings = withSetting(variable, value, inner, run)
  }
  if (at < words.length) return run.runProgram(words.slice(at), inner)
  run.addKind("read")
  return UNKNOWN
}

const MANIFESTS = new Map([
  ["poetry", ["pyproject.toml", "poetry.lock"]],
  ["uv", ["pyproject.toml", "uv.lock"]],
  ["bundle", ["Gemfile", "Gemfile.lock"]],
])
const ONE_FIRST = setOf("direnv aws-vault")
const ENVIRONMENT_FIRST = setOf("mise direnv aws-vault nix")
const BEFORE_COMMAND = setOf("-- -c --command")
const ENV_VALUED = setOf("-u -C -S --unset --chdir --split-string")
const RUN_VALUED = setOf("-n --name -p --project --with --python -e --env --directory --extra --group")
