import { HOLE, readable } from "./hole.ts"
import { kindOfTool } from "./kinds.ts"
import { parseOptions, setOf } from "./options.ts"
import type { Call, Program, Programs } from "./run.ts"

/** Tools that change files only when told to, and build tools that say where they write. */
export const tools: Programs = {
  ...fixers("prettier", "-w --write"),
  ...fixers("eslint oxlint stylelint standard xo markdownlint markdownlint-cli2", "--fix"),
  ...fixers("biome", "--write --fix --apply --apply-unsafe --unsafe"),
  ...fixers("gofmt goimports gofumpt shfmt", "-w"),
  ...fixers("clang-format autopep8 yapf", "-i --in-place"),
  ...fixers("rubocop", "-a -A --auto-correct --autocorrect --autocorrect-all"),
  ...fixers("ruff", "--fix --unsafe-fixes", "format"),
  ...fixers("dprint terraform-fmt", "", "fmt"),
  ...fixers("black isort rustfmt swiftformat jscodeshift sd", ""),
  ...compilers("gcc g++ cc c++ clang clang++ rustc go-build ld nasm"),
  ...compilers("esbuild"),
  make: runTasks,
  gmake: runTasks,
}

/** `options` make it write; with none, it always does. Its `verb` (ruff format) does so too. */
function fixers(names: string, options: string, verb?: string): Programs {
  const switches = options === "" ? [] : options.split(" ")
  const program: Program = ({ name, args, frame, run }) => {
    const given = parseOptions(args, FIXER_VALUED)
    const [first] = given.operands
    const onlyChecks = given.has("--check", "--diff", "--dry-run", "-n")
    const writes = given.has(...switches) || (verb === undefined ? switches.length === 0 : first === verb)
    if (!writes || onlyChecks) {
      run.does(kindOfTool(name, args) ?? "other")
      return HOLE
    }
    run.does("write")
    const isSubcommand = /^(check|format|lint|fmt|ci|migrate)$/.test(first ?? "")
    const paths = given.operands.slice(isSubcommand ? 1 : 0)
    for (const path of paths.length === 0 ? ["."] : paths) run.writes(path, frame)
    return HOLE
  }
  return Object.fromEntries(names.split(" ").map((name): [string, Program] => [name, program]))
}

function compilers(names: string): Programs {
  const program: Program = ({ args, frame, run }) => {
    run.does("build")
    for (const file of parseOptions(args, COMPILER_VALUED).values("-o", "--outfile", "--outdir"))
      run.writes(file, frame)
    return HOLE
  }
  return Object.fromEntries(names.split(" ").map((name): [string, Program] => [name, program]))
}

function runTasks({ name, args, run }: Call): string {
  if (parseOptions(args, MAKE_VALUED).has("-n", "--dry-run", "--just-print")) run.does("read")
  else {
    run.unseen(`what ${readable([name, ...args].join(" "))} does`)
    run.does(kindOfTool(name, args) ?? "other")
  }
  return HOLE
}

const FIXER_VALUED = setOf(
  "--config --config-path --parser --ext --ignore-path --plugin --rulesdir --format -c -t --transform --line-length -l",
)
const COMPILER_VALUED = setOf("-o -I -L -l -D -x --outfile --outdir --target --crate-type --edition")
const MAKE_VALUED = setOf("-C -f -j -I --directory --file --jobs")
