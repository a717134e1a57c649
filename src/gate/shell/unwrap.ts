import { isGlob, segmentsMeet } from "../../shared/glob.ts"
import { UNKNOWN } from "./expand-word.ts"
import { parseOptions, setOf } from "./options.ts"
import { type SimpleCommand, simpleCommands } from "./syntax-tree.ts"

/**
 * The commands that a command runs: behind `sudo`, `env` or `timeout`, in `bash -c "…"`, for each file of `find` or
 * `xargs`, in a container. The result includes the command itself, unless it only runs another one.
 */
export function unwrap(command: SimpleCommand, depth = 0): SimpleCommand[] {
  const [first = "", ...words] = command.args
  const program = programName(first)
  if (depth > MAX_DEPTH) return [command]
  const run = (args: readonly string[], changes: Partial<SimpleCommand> = {}) =>
    args.length === 0 ? [] : unwrap({ ...command, outputs: [], ...changes, args }, depth + 1)
  const runText = (text: string, changes: Partial<SimpleCommand> = {}) => {
    const { commands } = simpleCommands(text, { ...command, input: "", upstream: [], ...changes })
    return commands.flatMap((one) => unwrap(one, depth + 1))
  }
  // In `$SUDO rm x`, the unknown first word may be a wrapper such as `sudo`.
  if (first.startsWith(UNKNOWN)) return [command, ...run(words)]
  const wrapper = WRAPPERS.get(program)
  if (wrapper !== undefined) {
    const options = parseOptions(words, wrapper.valued, true)
    const inner = options.operands.slice(wrapper.skipped)
    const start = inner.findIndex((word) => !/^\w+=/.test(word))
    const found = [
      ...options.values("-S", "--split-string").flatMap((text) => runText(text)),
      ...(start === -1 ? [] : run(inner.slice(start), { outputs: command.outputs })),
    ]
    return found.length === 0 ? [command] : found
  }
  const handler = HANDLERS.get(program)
  return handler === undefined ? [command] : handler({ command, program, words, run, runText })
}

/** The program's name, without its folder and `.exe`. In lower case, as macOS and Windows take `RM` for `rm`. */
export function programName(word: string): string {
  const name = (word.split(/[/\\]/).at(-1) ?? "").toLowerCase().replace(/\.(exe|cmd|bat)$/, "")
  return name.replace(/^(python|pip|pypy)[\d.]+$|^(mkfs)\..+$/, "$1$2")
}

interface Unwrapping {
  command: SimpleCommand
  program: string
  words: readonly string[]
  run: (args: readonly string[], changes?: Partial<SimpleCommand>) => SimpleCommand[]
  runText: (text: string, changes?: Partial<SimpleCommand>) => SimpleCommand[]
}

function shell({ command, program, words, runText }: Unwrapping): SimpleCommand[] {
  const asUser = parseOptions(words, SU_VALUED).values("-c", "--command")
  if (/^(su|runuser)$/.test(program)) return [command, ...asUser.flatMap((text) => runText(text))]
  const options = parseOptions(words, setOf("-O -o --rcfile --init-file"), true)
  const [code = "", name = "$0"] = options.operands
  if (options.has("-c", "--command", "--run"))
    return [command, ...runText(code.replaceAll(/\$\{?0\}?/g, name))]
  return [command, ...(code === "" || code === "-" || options.has("-s") ? runText(command.input) : [])]
}

function behindVerb({ command, program, words, run }: Unwrapping): SimpleCommand[] {
  if (!/^(run|exec|x|develop|shell)$/.test(words[0] ?? "")) return [command]
  const { operands } = parseOptions(words.slice(1), RUN_VALUED, true)
  // `mise exec node@20 -- npm test`, `nix develop .#x -c make`: these have an operand before the command.
  const hasOperand = /^(mise|nix|aws-vault)$/.test(program) && words.at(-operands.length - 1) !== "--"
  const mark = hasOperand ? operands.findIndex((word) => /^(--|-c|--command)$/.test(word)) : -1
  return [command, ...run(operands.slice(mark + 1))]
}

function container({ command, words, run }: Unwrapping): SimpleCommand[] {
  const at = words.findIndex((word) => word === "exec" || word === "run")
  if (at === -1) return [command]
  const dashes = words.indexOf("--")
  const { operands } = parseOptions(words.slice(at + 1), DOCKER_VALUED, true)
  const inner = dashes === -1 ? operands.slice(1) : words.slice(dashes + 1)
  const own = { ...command, args: command.args.slice(0, command.args.length - inner.length) }
  return [own, ...run(inner, { isElsewhere: true, cwd: UNKNOWN })]
}

function remote({ command, words, runText }: Unwrapping): SimpleCommand[] {
  const [, ...rest] = parseOptions(words, SSH_VALUED, true).operands
  const text = rest.slice(rest[0] === "--" ? 1 : 0).join(" ")
  return [command, ...runText(text || command.input, { isElsewhere: true, cwd: UNKNOWN })]
}

/** Programs that a package manager runs: `npx rimraf@5 src`, `pnpm exec eslint`, `yarn eslint .`. */
function ofPackage({ command, program, words, run }: Unwrapping): SimpleCommand[] {
  const isRunner = /^(npx|bunx|pnpx|uvx|corepack)$/.test(program)
  const { operands } = parseOptions(words, PACKAGE_VALUED, true)
  // Skips `yarn workspace <name>`.
  const own = operands[0] === "workspace" ? operands.slice(2) : operands
  const [verb = "", ...rest] = isRunner ? ["exec", ...own] : own
  const isOwnProgram = /^(yarn|pnpm|bun)$/.test(program) && !PACKAGE_VERBS.has(verb) && !/\.\w+$/.test(verb)
  const inner = /^(exec|x|dlx)$/.test(verb) ? parseOptions(rest, PACKAGE_VALUED, true).operands : []
  const [name = "", ...args] = inner.length === 0 && isOwnProgram ? [verb, ...rest] : inner
  const { outputs } = command
  const found = name === "" ? [] : run([name.replace(/(?<=.)@[^/]*$/, ""), ...args], { outputs })
  return isRunner && found.length > 0 ? found : [command, ...found]
}

function module({ command, program, words, run }: Unwrapping): SimpleCommand[] {
  const at = words.indexOf("-m")
  if (program === "python" && at !== -1) return run(words.slice(at + 1), { outputs: command.outputs })
  return [command, ...(/(^|\/)(artisan|manage\.py|console)$/.test(words[0] ?? "") ? run(words) : [])]
}

function eachItem({ command, program, words, run, runText }: Unwrapping): SimpleCommand[] {
  const options = parseOptions(words, XARGS_VALUED, true)
  const list = options.operands.findIndex((word) => word.startsWith(":::"))
  const inner = list === -1 ? options.operands : options.operands.slice(0, list)
  const items = list === -1 ? listedBy(command) : options.operands.slice(list + 1)
  const filled = filledIn(inner, options.values("-I", "--replace")[0] ?? "{}", items)
  const isText = program === "parallel" && inner.length === 1
  return [command, ...(isText ? runText(filled.join(" ")) : run(filled))]
}

/** The names that `xargs` gets from the pipe. */
function listedBy({ input, upstream }: SimpleCommand): string[] {
  if (input !== "") return input.split(/\s+/)
  if (upstream[0]?.args[0] === "mktemp") return ["/tmp/mktemp"]
  for (const { args } of upstream) if (programName(args[0] ?? "") === "find") return foundBy(args.slice(1))
  const [first = "", ...listed] = upstream[0]?.args ?? []
  if (programName(first) === "ls" && listed.some(isGlob)) return listed.filter(isGlob)
  return [UNKNOWN]
}

function filledIn(words: readonly string[], mark: string, items: readonly string[]): string[] {
  if (!words.some((word) => word.includes(mark))) return [...words, ...items]
  return words.flatMap((word) =>
    word.includes(mark) ? items.map((item) => word.replaceAll(mark, item)) : word,
  )
}

/** The commands of `find … -delete` and `-exec`, with globs for the files that they get. */
function find({ command, words, run }: Unwrapping): SimpleCommand[] {
  const found = foundBy(words)
  const isEmptyFolders = words.includes("-empty") && words[words.indexOf("-type") + 1] === "d"
  const actions = words.flatMap((word, at) => {
    if (word === "-delete" && !isEmptyFolders) return run(["rm", ...found])
    if (/^-f(print|printf|print0|ls)$/.test(word)) return run(["tee", words[at + 1] ?? ""])
    if (!/^-(exec|ok)(dir)?$/.test(word)) return []
    const end = words.findIndex((one, i) => i > at && (one === ";" || (one === "+" && words[i - 1] === "{}")))
    const inner = words.slice(at + 1, Math.max(end, at + 1))
    return run(inner.some((one) => one.includes("{}")) ? filledIn(inner, "{}", found) : inner)
  })
  return [command, ...actions]
}

/** Globs for the files that `find` finds: its `-name` patterns below its folders, or `*` if there are none. */
function foundBy(words: readonly string[]): string[] {
  const first = words.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLP]$|^-O\d?$/.test(word))
  const starts = words.slice(0, first === -1 ? undefined : first).filter((word) => !word.startsWith("-"))
  const tests = first === -1 ? [] : words.slice(first)
  const prune = /-prune .*-o /.test(tests.join(" ")) ? tests.indexOf("-prune") : -1
  const names = tests.filter(
    (_, at) => /^-i?name$/.test(tests[at - 1] ?? "") && !/^(!|-not)$/.test(tests[at - 2] ?? "") && at > prune,
  )
  const below = tests[tests.indexOf("-maxdepth") + 1] === "1" ? "" : "**/"
  // Unlike a glob of the shell, `find` goes into folders whose names begin with a dot.
  const isDotted = below !== "" && !tests.some((word) => /hivemind|\/\.\*|^\.\*|^\*\/\./.test(word))
  const mayBeHive = (start: string, name: string) =>
    isDotted && /^\.\/?$/.test(start) && HIVE_FILES.some((file) => segmentsMeet(file, name))
  const found = (starts.length === 0 ? ["."] : starts).flatMap((start) =>
    (names.length === 0 ? ["*"] : names).flatMap((name) => [
      `${start}/${below}${name}`,
      ...(mayBeHive(start, name) ? [`./.hivemind/**/${name}`] : []),
    ]),
  )
  return found.slice(0, MAX_FOUND)
}

const WRAPPERS = new Map(
  Object.entries({
    "sudo doas pkexec": "-u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --chdir --host",
    "env cross-env dotenv dotenv-cli": "-u -C -S -e -f -v --unset --chdir --split-string",
    "nice ionice": "-n -c --adjustment --class --classdata",
    "nohup setsid unshare busybox shx entr builtin command": "",
    "stdbuf time exec caffeinate": "-i -o -e -f -a -t -w --input --output --error --format",
    "xvfb-run systemd-run strace screen": "-s -n -e -f -p -u -t -o -E -S -c --unit --uid",
    "timeout chroot flock direnv": "-s -k -w -E --signal --kill-after --timeout",
  }).flatMap(([names, valued]) =>
    names.split(" ").map((name) => {
      const skipped = name === "direnv" ? 2 : /^(timeout|chroot|flock)$/.test(name) ? 1 : 0
      return [name, { valued: setOf(valued), skipped }] as const
    }),
  ),
)
const HANDLERS = new Map(
  Object.entries({
    "sh bash zsh dash ksh mksh ash fish rbash su runuser script nix-shell": shell,
    "eval watch trap": ({ command, words, runText }: Unwrapping) => [command, ...runText(words.join(" "))],
    "poetry uv pipenv pdm hatch conda doppler bundle asdf rbenv lerna mise nix op aws-vault heroku":
      behindVerb,
    "docker podman nerdctl docker-compose kubectl oc": container,
    ssh: remote,
    "npm pnpm yarn bun npx bunx pnpx uvx corepack": ofPackage,
    "python php": module,
    "xargs parallel": eachItem,
    find,
  }).flatMap(([names, handler]) => names.split(" ").map((name) => [name, handler] as const)),
)
const SU_VALUED = setOf("-c --command -s --shell -g --group -w -u --user")
const RUN_VALUED = setOf("-n --name -p --project --with --python -e --env --directory --extra --group")
const SSH_VALUED = setOf("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B")
const XARGS_VALUED = setOf("-I -n -P -L -d -E -s -a -j -N --arg-file --max-args --delimiter --jobs")
const DOCKER_VALUED = setOf(
  "-e --env -u --user -w --workdir --env-file -v --volume -p --publish --name --network --net --entrypoint --mount " +
    "-h --hostname --label -l --platform --memory -m --cpus --add-host --restart --link --index --gpus -n -c",
)
const PACKAGE_VALUED = setOf("-p --package -c --call --from --with --prefix -C --dir --cwd -w --filter -F")
const PACKAGE_VERBS = setOf(
  "install i add remove rm uninstall update up upgrade run test t start stop build lint format typecheck dev init " +
    "why list ls outdated audit publish pack link dedupe prune create config cache workspace workspaces info version",
)
const HIVE_FILES = ["x.json", "x.jsonl", "x.md", ".gitignore"]
const MAX_DEPTH = 6
const MAX_FOUND = 24
