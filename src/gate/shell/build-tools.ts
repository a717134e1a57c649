import { programKind } from "./command-kind.ts"
import { parseOptions, setOf } from "./options.ts"
import { type Program, type Programs, sameFor } from "./program.ts"
import { UNKNOWN } from "./unknown-text.ts"

/** Formatters and linters that change files only with an option; they read what they are given. */
export const fixers: Programs = {
  ...fixing("prettier", "-w --write"),
  ...fixing("eslint oxlint stylelint standard xo markdownlint markdownlint-cli2", "--fix"),
  ...fixing("biome", "--write --fix --apply --apply-unsafe --unsafe"),
  ...fixing("gofmt goimports gofumpt", "-w"),
  ...fixing("shfmt", "-w --write", undefined, "-i --indent"),
  ...fixing("clang-format autopep8 yapf", "-i --in-place"),
  ...fixing("rubocop", "-a -A --auto-correct --autocorrect --autocorrect-all"),
  ...fixing("ruff", "--fix --unsafe-fixes", "format"),
  ...fixing("dprint", "", "fmt"),
  ...fixing("black isort rustfmt swiftformat", ""),
  ...fixing("jscodeshift", "", undefined, "-t --transform"),
}

/** Build tools that say where they write. */
export const buildTools: Programs = {
  ...sameFor("gcc g++ cc c++ clang clang++ rustc ld nasm esbuild", ({ args, frame, run }) => {
    run.addKind("build")
    for (const file of parseOptions(args, COMPILER_VALUED).values("-o", "--outfile", "--outdir"))
      run.writes(file, frame)
    return UNKNOWN
  }),
  ...sameFor("make gmake", ({ name, args, run }) => {
    const isDryRun = parseOptions(args, MAKE_VALUED).has("-n", "--dry-run", "--just-print")
    run.addKind(isDryRun ? "read" : (programKind(name, args) ?? "other"))
    return UNKNOWN
  }),
}

/**
 * `options` make it write; with none, it always does. Its `verb` (ruff format) does so too. `values` are options of its
 * own that take a value.
 */
function fixing(names: string, options: string, verb?: string, values = ""): Programs {
  const switches = options === "" ? [] : options.split(" ")
  const program: Program = ({ name, args, frame, run }) => {
    const given = parseOptions(args, setOf(`${FIXER_VALUED} ${values}`))
    const [first] = given.operands
    const onlyChecks = given.has("--check", "--diff", "--dry-run", "-n")
    const writes = given.has(...switches) || (verb === undefined ? switches.length === 0 : first === verb)
    if (!writes || onlyChecks) {
      run.addKind(programKind(name, args) ?? "other")
      return UNKNOWN
    }
    run.addKind("write")
    const isSubcommand = /^(check|format|lint|fmt|ci|migrate)$/.test(first ?? "")
    const paths = given.operands.slice(isSubcommand ? 1 : 0)
    for (const path of paths.length === 0 ? ["."] : paths) run.writes(path, frame)
    return UNKNOWN
  }
  return sameFor(names, program)
}

const FIXER_VALUED =
  "--config --config-path --parser --ext --ignore-path --plugin --rulesdir --format -c --line-length -l"
const COMPILER_VALUED = setOf("-o -I -L -l -D -x --outfile --outdir --target --crate-type --edition")
const MAKE_VALUED = setOf("-C -f -j -I --directory --file --jobs")
