/** The kinds of checks: `test` runs tests; `build` builds, lints or checks types. */
type CheckKind = "test" | "build"

/** The kind of check that a command runs. For task runners the goal decides: `make test`. */
export function programCheck(program: string, args: readonly string[]): CheckKind | undefined {
  const goals = args.filter((arg) => !/^-|=/.test(arg))
  const [first = ""] = goals
  const verbs = Object.hasOwn(VERBS, program) ? VERBS[program] : undefined
  const kind = checkProgram(program) ?? (verbs && Object.hasOwn(verbs, first) ? verbs[first] : undefined)
  if (kind !== undefined || !hasGoals(program)) return kind
  if (goals.length === 0) return /make|ninja|gradle/.test(program) ? "build" : undefined
  if (VERB_FIRST.has(program) && !isVerbOfCheck(args, goals)) return undefined
  const kinds = goals.map((goal) => (goal === OWN_GOAL[program] ? "build" : scriptCheck(goal)))
  return kinds.find((one) => one === "test") ?? kinds.find((one) => one !== undefined)
}

/** A value after an option looks like a verb, so after options any goal counts: `turbo --filter web test`. */
function isVerbOfCheck(args: readonly string[], goals: readonly string[]): boolean {
  if (args[0]?.startsWith("-")) return true
  const verb = goals[goals[0] === "pub" ? 1 : 0] ?? ""
  return RUNS_GOAL.test(verb) || scriptCheck(verb) !== undefined
}

export function checkProgram(program: string): CheckKind | undefined {
  if (TESTS.has(program)) return "test"
  return BUILDS.has(program) ? "build" : undefined
}

export function hasGoals(program: string): boolean {
  return TASK_RUNNERS.has(program)
}

/** The kind of check that a package script or goal runs, judged by its name: `test:unit`, `lint`. */
export function scriptCheck(name: string): CheckKind | undefined {
  if (AROUND_CHECKS.test(name)) return undefined
  if (TEST_SCRIPT.test(name)) return "test"
  return BUILD_SCRIPT.test(name) ? "build" : undefined
}

/** The kind of check that a script file runs, judged by its path: `scripts/test.sh`, `tests/run.py`. */
export function fileCheck(path: string): CheckKind | undefined {
  const [file = "", folder = ""] = path.split(/[/\\]/).reverse()
  const name = file.replace(/\.\w+$/, "")
  if (/^tests?$/i.test(folder) && RUNS_ALL.test(name)) return "test"
  return name.length > 1 ? scriptCheck(name) : undefined
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "))
}

const TEST_SCRIPT =
  /(^|[-:_./])(tests?|t|tst|spec|e2e|check:test|vitest|jest|coverage|nextest|bench)($|[-:_.])/i
const BUILD_SCRIPT =
  /(^|[-:_./])(build|compile|bundle|dist|tsc|type-?check|types|lint|check|clippy|vet|assemble|package|verify|doc)($|[-:_.])/i
/** Steps before or after a check, not checks themselves: `test:clean`, `test-deps`. */
const AROUND_CHECKS =
  /[-:_.](clean|deps|install|setup|reset|data|prepare|updates)$|^(make|generate|g|clean):/i
const RUNS_ALL = /^(all|run|main|index|runner|suite)$/i
const TESTS = words(
  "vitest jest mocha ava tap jasmine karma pytest py.test unittest nose2 tox nox rspec minitest phpunit pest ctest " +
    "cypress c8 nyc playwright bats shellspec gotestsum",
)
const BUILDS = words(
  "tsc vue-tsc tsup tsdown rollup rolldown webpack swc parcel babel microbundle unbuild javac kotlinc scalac cmake " +
    "meson eslint oxlint tslint stylelint biome mypy pyright basedpyright flake8 pylint ruff rubocop golangci-lint " +
    "staticcheck shellcheck hadolint knip depcheck attw publint xcodebuild prettier dprint black isort",
)
const TASK_RUNNERS = words(
  "make gmake ninja just task mise gradle gradlew mvn mvnw ant sbt lein bazel buck dotnet swift mix deno vite next nuxt " +
    "astro remix turbo nx grunt gulp ng expo invoke inv react-scripts zig stack cabal rebar3 flutter dart " +
    "lerna rush",
)
/** Programs whose first argument is a verb; later arguments may be any name: `dotnet new test` is no test. */
const VERB_FIRST = words("dotnet nx ng flutter dart mix swift zig turbo vite next nuxt astro deno expo")
const RUNS_GOAL = /^(run|run-many|affected|task|do|exec)$/
/** Goals that build although their names do not say so, such as `make all`. */
const OWN_GOAL: Readonly<Record<string, string>> = {
  mvn: "install",
  mvnw: "install",
  make: "all",
  gmake: "all",
}
/** Programs for which only these verbs, as the first argument, are checks. */
const VERBS: Readonly<Record<string, Readonly<Record<string, CheckKind>>>> = {
  "pre-commit": { run: "build" },
  terraform: { validate: "build", test: "test" },
  tofu: { validate: "build", test: "test" },
  helm: { lint: "build" },
  "manage.py": { test: "test", check: "build" },
  "setup.py": { test: "test", build: "build" },
}
