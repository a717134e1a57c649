import type { CommandKind } from "./judgement.ts"
import { setOf } from "./options.ts"

/** What a program is about that has no judge of its own; undefined if it is not known here. */
export function programKind(name: string, args: readonly string[]): CommandKind | undefined {
  if (TESTS.has(name)) return "test"
  if (BUILDS.has(name)) return "build"
  if (READERS.has(name)) return "read"
  if (!TASK_RUNNERS.has(name)) return undefined
  const goals = args.filter((arg) => !/^-|=/.test(arg))
  const kinds = goals.map(scriptKind)
  if (kinds.includes("test")) return "test"
  const buildsByDefault = goals.length === 0 && /make|ninja|gradle/.test(name)
  return kinds.includes("build") || buildsByDefault ? "build" : "other"
}

/** What a script is about, by its name: `test:unit`, `build`, `lint`. */
export function scriptKind(name: string): CommandKind {
  if (TEST_SCRIPT.test(name)) return "test"
  return BUILD_SCRIPT.test(name) ? "build" : "other"
}

const TEST_SCRIPT =
  /(^|[-:_./])(tests?|t|tst|spec|e2e|check:test|vitest|jest|coverage|nextest|bench)($|[-:_.])/i
const BUILD_SCRIPT =
  /(^|[-:_./])(build|compile|bundle|dist|tsc|type-?check|types|lint|check|clippy|vet|assemble|package|verify|doc)($|[-:_.])/i
const TESTS = setOf(
  "vitest jest mocha ava jasmine karma pytest unittest tox nox rspec phpunit ctest cypress c8 nyc playwright bats",
)
const BUILDS = setOf(
  "tsc vue-tsc tsup tsdown rollup rolldown webpack swc parcel babel rustc javac cmake eslint oxlint stylelint biome " +
    "mypy pyright flake8 pylint ruff rubocop golangci-lint shellcheck knip attw publint xcodebuild prettier black isort",
)
/** With a goal among their words: `make test`, `vite build`. */
const TASK_RUNNERS = setOf(
  "make ninja just gradle gradlew mvn mvnw sbt bazel dotnet swift mix deno vite next nuxt astro remix turbo nx " +
    "grunt gulp ng expo react-scripts flutter",
)
const READERS = setOf(
  "ls less more grep egrep fgrep rg wc uniq cut tr diff cmp comm file stat du df tree type whereis printenv whoami " +
    "hostname uname ps top pgrep lsof netstat ss free uptime jq hexdump od strings md5sum sha1sum sha256sum sha512sum " +
    "shasum cksum sleep seq yes getconf man history jobs wait column nl fold paste join expr bc bat eza export unset " +
    "declare local readonly shift return exit break continue let umask shopt clear json.tool zcat",
)
