import { programCheck, scriptCheck } from "../../shared/shell/check-names.ts"
import type { CommandKind, Effect } from "./command-reading.ts"
import { type Options, parseOptions, setOf } from "./options.ts"

/** The effect of a program on a file. `written`: its content is changed or extended, not discarded. */
export interface FileEffect {
  word: string
  how: Effect["how"] | "written"
}

interface FileProgram {
  effects: FileEffect[]
  kind: CommandKind
}

type Rule = (options: Options, words: readonly string[], program: string) => FileProgram

/** The files that a program writes and deletes, by its arguments; undefined for a program that is not in the table. */
export function fileProgram(program: string, words: readonly string[]): FileProgram | undefined {
  const found = RULES.get(program)
  return found?.rule(parseOptions(words, found.valued), words, program)
}

/** The files that the output options of any program replace: `-o file`, `--output file`, `--outdir=x`. */
export function outputOptions(words: readonly string[]): FileEffect[] {
  const values = words.flatMap((word, at) => {
    const [, glued] = /^(?:--?out(?:put|-?file|-?dir)?(?:-document)?=|-o|of=)(.+)$/.exec(word) ?? []
    return OUTPUT.test(words[at - 1] ?? "") && !word.startsWith("-") ? [word] : (glued ?? [])
  })
  return values.filter((word) => /[./]/.test(word)).map((word) => ({ word, how: "replaced" }))
}

function write(how: FileEffect["how"], words: readonly string[]): FileProgram {
  return { kind: "write", effects: words.filter((word) => word !== "").map((word) => ({ word, how })) }
}

const all = (how: FileEffect["how"]) => (({ operands }) => write(how, operands)) as Rule

/** Deletes files. On Windows, `/s` and `/q` are options, not paths. */
const removal: Rule = (options, words) => {
  const isWhole =
    options.has("-r", "-R", "--recursive") || words.some((word) => /^(\/s|-recurse)$/i.test(word))
  return write(
    isWhole ? "removed recursively" : "removed",
    options.operands.filter((word) => !/^\/[a-z]$/i.test(word)),
  )
}

/** Moves or copies its operands to the last one or to `-t`. In a target folder they keep their names. */
const intoLast: Rule = (options, words, program) => {
  const names = [...options.operands, ...options.values("-t", "--target-directory")]
  const target = names.at(-1) ?? ""
  const from = names.slice(0, -1)
  // A target `host:path` is on another machine.
  if (/^[\w.@-]{2,}:/.test(target)) return OTHER
  if (program === "rsync")
    return write(words.some((word) => /^--del/.test(word)) ? "replaced" : "written", [target])
  if (options.has("-n", "--no-clobber")) return write("written", [target])
  const nameOf = (word: string) => word.replace(/\/$/, "").split("/").at(-1)
  const isFolder = /\/$|^\.{1,2}$/.test(target) || from.length > 1
  const replaced = isFolder ? from.map((word) => `${target.replace(/\/$/, "")}/${nameOf(word)}`) : [target]
  return write("replaced", replaced.some((word) => /[*?[{]|\/\.{0,2}$/.test(word)) ? [target] : replaced)
}

const move: Rule = (options, words, program) => {
  if (options.has("-n", "--no-clobber")) return all("moved")(options, words, program)
  const over = intoLast(options, words, program).effects.map(({ word }) => ({
    word,
    how: "moved over" as const,
  }))
  const gone = options.operands.slice(0, options.has("-t") ? undefined : -1)
  return { kind: "write", effects: [...gone.map((word) => ({ word, how: "moved" as const })), ...over] }
}

const inPlace: Rule = (_, words, program) => {
  const isInPlace = (word: string) => /^-[a-zA-Z0]*i|^--in-?p/.test(word)
  const isSed = program.endsWith("sed")
  if (!words.some(isInPlace)) return isSed && !SED_WRITES.test(words.join("\n")) ? READS : OTHER
  const rest = words.filter((word) => word !== "" && !isInPlace(word))
  const options = parseOptions(rest, setOf("-e -E -f --expression --file -l -I -M -m"))
  return write("replaced", options.operands.slice(options.has("-e", "-f", "--expression", "--file") ? 0 : 1))
}

/** Formatters and linters, which write files always, with a verb such as `format`, or with an option such as `--fix`. */
const fixer: Rule = (options, words, program) => {
  const [first = ""] = options.operands
  const isFix = ALWAYS_FIX.test(`${program} ${first}`) || words.some((word) => FIXES.test(word))
  if (!isFix || options.has("--check", "--diff", "--dry-run"))
    return { kind: programCheck(program, words) ?? "build", effects: [] }
  const files = options.operands.slice(/^(check|format|lint|fmt|ci|migrate)$/.test(first) ? 1 : 0)
  return write("written", files.length === 0 ? ["."] : files.filter((word) => !word.startsWith("!")))
}

/** Package managers, which change their manifest and lock file; some also format the sources. */
const packages: Rule = ({ operands }, words, program) => {
  const [manifest = "", lock = ""] = MANIFESTS[program]?.split(" ") ?? []
  const [verb = program === "yarn" ? "install" : "", script = ""] = operands
  const isCheck = words.includes("--check")
  const isFix = verb === "audit" && (script === "fix" || words.includes("--fix"))
  const isGoGet = program === "go" && verb === "get"
  if ((NPM_READS.test(verb) && !isFix && !isGoGet) || words.includes("--version")) return READS
  if (words.some((word) => /^(-g|--global)$/.test(word))) return write("written", [])
  if (isFix || (manifest === "package.json" ? NPM_WRITES : MANIFEST_WRITES).test(verb))
    return write("written", [manifest, lock])
  if (/^(init|version|pkg)$/.test(verb)) return write("written", [manifest])
  if (/^(cargo|go)$/.test(program) && /^(fmt|fix|generate)$/.test(verb) && !isCheck)
    return write("written", ["."])
  const kind = scriptCheck(/^run(-script)?$/.test(verb) ? script : verb) ?? "other"
  return { kind: isCheck ? "build" : kind, effects: [] }
}

const archive: Rule = (options, words) => {
  const [first = ""] = words
  const letters = /^-?[a-zA-Z]+$/.test(first) ? first : ""
  if (options.has("-x", "--extract") || letters.includes("x"))
    return write("written", [options.values("-C", "--directory")[0] ?? "."])
  if (options.has("-t", "--list") || letters.includes("t")) return READS
  const [file = "-"] = [
    ...options.values("-f", "--file"),
    ...options.operands.slice(first.startsWith("-") ? 0 : 1),
  ]
  return write("replaced", file === "-" ? [] : [file])
}

const awk: Rule = (o) => (o.has("-f", "-i") || /[>|]|system/.test(o.operands[0] ?? "") ? OTHER : READS)

const mode: Rule = (options, words) => {
  // In `chmod -x file` the mode looks like an option.
  const hasMode = words.some((word) => /^-[rwxXst]+$/.test(word))
  return write(options.has("-R") ? "replaced" : "written", options.operands.slice(hasMode ? 0 : 1))
}

const READS: FileProgram = { kind: "read", effects: [] }
const OTHER: FileProgram = { kind: "other", effects: [] }
const NPM_WRITES =
  /^(install|i|in|ins|add|remove|rm|uninstall|un|unlink|r|update|up|upgrade|dedupe|link|ln|prune|import|install-test|ci)$/
const NPM_READS =
  /^(view|info|show|ls|list|ll|la|outdated|why|explain|audit|search|root|prefix|bin|whoami|config|get|ping|help|docs|repo|bugs|fund|licenses)$/
const NPM_VALUED = "--prefix -C --dir --cwd -w --workspace --filter -F --loglevel --registry"
const MANIFEST_WRITES = /^(add|remove|rm|update|get|mod|require|install|lock)$/
const MANIFESTS: Readonly<Record<string, string>> = {
  ...{ npm: "package.json package-lock.json", pnpm: "package.json pnpm-lock.yaml" },
  ...{ yarn: "package.json yarn.lock", bun: "package.json bun.lock", cargo: "Cargo.toml Cargo.lock" },
  ...{ go: "go.mod go.sum", composer: "composer.json composer.lock" },
  ...{ poetry: "pyproject.toml poetry.lock", uv: "pyproject.toml uv.lock" },
}
const FIXERS =
  "prettier shfmt eslint oxlint stylelint standard xo markdownlint markdownlint-cli2 biome gofmt goimports gofumpt " +
  "clang-format autopep8 yapf rubocop ruff dprint black isort rustfmt swiftformat jscodeshift"
const ALWAYS_FIX = /^(black|isort|rustfmt|swiftformat|jscodeshift) |^(ruff format|dprint fmt)$/
const FIXES = /^(-w|--write|--fix|--apply|--unsafe\S*|-i|--in-place|-a|-A|--auto-?correct(-all)?)$/
const CONFIG =
  "--config -c --config-path --parser --ext --ignore-path --ignore-pattern --plugin --format -f -l -t"
const TABLE: readonly (readonly [programs: string, rule: Rule, valued?: string])[] = [
  ["rm remove-item rd del erase", removal],
  ["rimraf del-cli srm wipe", all("removed recursively"), "--impl"],
  ["unlink shred", all("removed"), "-n -s --iterations --size"],
  ["truncate", all("replaced"), "-s --size -r"],
  ["mv", move, "-t --target-directory -S"],
  ["cp install ln scp rsync", intoLast, "-t --target-directory -m -g -S -P -i -e --rsh --exclude --include"],
  ["touch mkdir mkfifo mknod rmdir trash trash-put", all("written"), "-m --mode -d -t -r --date --reference"],
  ["sponge dos2unix unix2dos gzip gunzip bzip2 xz zstd", all("written")],
  ["zip", (o) => write("written", o.operands.slice(0, 1)), "-x -i"],
  ["tee", (o) => write(o.has("-a", "--append") ? "written" : "replaced", o.operands)],
  ["sed gsed perl ruby", inPlace],
  ["yq", (o) => (o.has("-i", "--inplace") ? write("written", o.operands.slice(1)) : READS)],
  ["awk gawk mawk", awk, "-F -v -f -i"],
  ["vim vi nvim ed", (o) => (o.has("-R") ? READS : write("written", o.operands)), "-c --cmd -u -i -S"],
  ["sort tree iconv less bat ncdu", () => READS],
  ["tar bsdtar", archive, "-f --file -C --directory --exclude -T -X"],
  ["chmod chown chgrp", mode],
  [Object.keys(MANIFESTS).join(" "), packages, NPM_VALUED],
  [FIXERS, fixer, CONFIG],
]
const RULES = new Map(
  TABLE.flatMap(([programs, rule, valued = ""]) =>
    programs.split(" ").map((program) => [program, { rule, valued: setOf(valued) }] as const),
  ),
)
/** The commands of a sed script that write a file (`w file`) or run a program (`e`). */
const SED_WRITES = /(^|[;{}/\d])\s*[we](\s+\S|$)|\/[a-z]*w\s*\S*\/|\/w\s*[.\w]/m
const OUTPUT = /^(-[a-zA-Z]*[oO]|--?out|--output(-document|-dir(ectory)?|-file)?|--out-?(file|dir))$/
