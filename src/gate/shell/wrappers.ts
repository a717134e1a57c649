import { HOLE } from "./hole.ts"
import { parseOptions, setOf } from "./options.ts"
import { placeOf } from "./places.ts"
import { type Call, child, type Program, type Programs } from "./run.ts"

/** Programs that run the command in their own words. */
export const wrappers: Programs = {
  ...prefixes({
    sudo: "-u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --chdir --host --role --type",
    doas: "-u -C",
    nice: "-n --adjustment",
    ionice: "-c -n --class --classdata",
    nohup: "",
    setsid: "",
    stdbuf: "-i -o -e --input --output --error",
    time: "-f -o --format --output",
    builtin: "",
    exec: "-a",
    caffeinate: "-t -w",
    "xvfb-run": "-s -n -e -f --server-args --server-num",
    "dbus-run-session": "",
    pkexec: "--user",
    proxychains: "-f",
    proxychains4: "-f",
    torsocks: "",
    firejail: "",
    "systemd-run": "-p -u -t --unit --property --uid --gid",
    strace: "-o -e -p -s -E",
    ltrace: "-o -e -p -s",
    unshare: "",
    nsenter: "-t --target",
    busybox: "",
    toybox: "",
    "cross-env": "",
    dotenv: "-e -f -v",
    entr: "",
    screen: "-S -t -c -e -h -p",
    winpty: "",
  }),
  ...prefixes(
    {
      timeout: "-s -k --signal --kill-after",
      chrt: "",
      taskset: "",
      chroot: "",
      flock: "-w -E -c --timeout --command",
    },
    1,
  ),
  ...afterWord({
    poetry: "run",
    uv: "run",
    pipenv: "run",
    pdm: "run",
    hatch: "run",
    rye: "run",
    bundle: "exec",
    mise: "exec x",
    asdf: "exec",
    rbenv: "exec",
    conda: "run",
    doppler: "run",
    op: "run",
    nix: "develop shell",
    lerna: "exec",
    direnv: "exec",
    "aws-vault": "exec",
  }),
  env: runEnv,
  command: ({ args, frame, run }) => {
    const options = parseOptions(args, undefined, true)
    if (!options.has("-v", "-V")) return run.argv(options.operands, frame)
    run.does("read")
    return options.operands[0]
  },
}

/** `valued` lists the options that take a value; `skipped` words stand before the command, such as a time. */
function prefixes(table: Record<string, string>, skipped = 0): Programs {
  const programs: [string, Program][] = Object.entries(table).map(([name, words]) => {
    const valued = setOf(words)
    return [
      name,
      ({ args, frame, run }) => {
        const options = parseOptions(args, valued, true)
        if (name === "sudo" && options.has("-e", "--edit")) {
          for (const file of options.operands) run.writes(file, frame)
          return HOLE
        }
        if (name === "flock")
          for (const text of options.values("-c", "--command")) run.text(text, child(frame))
        const words = options.operands.slice(skipped)
        if (name === "flock" && words[0] === "-c") return run.text(words[1] ?? "", child(frame))
        return runAssigned(words, { name, args, frame, run })
      },
    ]
  })
  return Object.fromEntries(programs)
}

/** `poetry run …`, `bundle exec …`; with another word after the name they are their own tools. */
function afterWord(table: Record<string, string>): Programs {
  const programs: [string, Program][] = Object.entries(table).map(([name, words]) => {
    const verbs = setOf(words)
    return [
      name,
      ({ args, frame, run }) => {
        const [verb = ""] = args
        if (!verbs.has(verb)) {
          if (/^(add|remove|update|lock)$/.test(verb))
            for (const file of MANIFESTS.get(name) ?? []) run.writes(file, frame)
          run.does("other")
          return HOLE
        }
        const dashes = args.indexOf("--")
        const rest =
          dashes === -1 ? parseOptions(args.slice(1), RUN_VALUED, true).operands : args.slice(dashes + 1)
        return run.argv(rest, child(frame))
      },
    ]
  })
  return Object.fromEntries(programs)
}

function runEnv({ name, args, frame, run }: Call): string {
  const options = parseOptions(args, ENV_VALUED, true)
  const [folder] = options.values("-C", "--chdir")
  const inner = child(frame, folder === undefined ? {} : { cwd: placeOf(folder, frame, run) })
  const [text] = options.values("-S", "--split-string")
  if (text !== undefined) return run.text([text, ...options.operands].join(" "), inner)
  return runAssigned(options.operands, { name, args, frame: inner, run })
}

/** `A=b` in front of the command is its environment. */
function runAssigned(words: readonly string[], { frame, run }: Call): string {
  const inner = child(frame)
  let at = 0
  for (; at < words.length; at++) {
    const pair = /^(\w+)=(.*)$/s.exec(words[at] ?? "")
    if (pair === null) break
    inner.vars.set(pair[1] ?? "", [pair[2] ?? ""])
  }
  if (at < words.length) return run.argv(words.slice(at), inner)
  run.does("read")
  return HOLE
}

const MANIFESTS = new Map([
  ["poetry", ["pyproject.toml", "poetry.lock"]],
  ["uv", ["pyproject.toml", "uv.lock"]],
  ["bundle", ["Gemfile", "Gemfile.lock"]],
])
const ENV_VALUED = setOf("-u -C -S --unset --chdir --split-string")
const RUN_VALUED = setOf("-n --name -p --project --with --python -e --env --directory --extra --group")
