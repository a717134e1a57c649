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

/** What a script of the project's own is about, by the name of its file: `./scripts/test.sh`, `node build.mjs`. */
export function fileKind(path: string): CommandKind {
  const name = (path.split(/[/\\]/).at(-1) ?? "").replace(/\.\w+$/, "")
  return name.length > 1 ? scriptKind(name) : "other"
}

const TEST_SCRIPT =
  /(^|[-:_./])(tests?|t|tst|spec|e2e|check:test|vitest|jest|coverage|nextest|bench)($|[-:_.])/i
const BUILD_SCRIPT =
  /(^|[-:_./])(build|compile|bundle|dist|tsc|type-?check|types|lint|check|clippy|vet|assemble|package|verify|doc)($|[-:_.])/i
const TESTS = setOf(
  "vitest jest mocha ava tap jasmine karma pytest py.test unittest nose2 tox nox rspec minitest phpunit pest ctest " +
    "cypress c8 nyc playwright bats shellspec gotestsum",
)
const BUILDS = setOf(
  "tsc vue-tsc tsup tsdown rollup rolldown webpack swc parcel babel microbundle unbuild javac kotlinc scalac cmake " +
    "meson eslint oxlint tslint stylelint biome mypy pyright basedpyright flake8 pylint ruff rubocop golangci-lint " +
    "staticcheck shellcheck hadolint knip depcheck attw publint xcodebuild prettier dprint black isort",
)
/** With a goal among their words: `make test`, `vite build`. */
const TASK_RUNNERS = setOf(
  "make gmake ninja just task gradle gradlew mvn mvnw ant sbt lein bazel buck dotnet swift mix deno vite next nuxt " +
    "astro remix turbo nx grunt gulp ng expo invoke inv react-scripts zig stack cabal rebar3 flutter dart",
)
const READERS = setOf(
  "ls ll dir less more grep egrep fgrep zgrep rg ag ack wc uniq cut tr diff cmp comm file stat du df tree type whereis " +
    "printenv whoami hostname uname arch ps top htop pgrep lsof netstat ss free uptime jq xq gron hexdump od strings " +
    "md5sum sha1sum sha256sum sha512sum shasum md5 cksum sleep seq yes getconf locale man help jobs wait tty " +
    "column nl fold fmt paste join expr bc dc bat exa eza lsd delta cloc tokei scc rev " +
    "exit let hash umask ulimit dirs disown shopt enable times logout " +
    "nm objdump readelf ldd otool lscpu lsblk findmnt last who w groups logname tput clear reset stty ping dig " +
    "nslookup host traceroute ifconfig ip json.tool zcat bzcat xzcat look iconv pstree vmstat iostat ncdu glow fuser " +
    "inotifywait open xdg-open code",
)
