import type { Kind } from "./judgement.ts"
import { setOf } from "./options.ts"

/** What a script is about, by its name: `test:unit`, `build`, `lint`. */
export function kindOfScript(name: string): Kind {
  if (
    /(^|[-:_./])(tests?|t|tst|spec|e2e|check:test|vitest|jest|coverage|nextest|bench)($|[-:_.])/i.test(name)
  )
    return "test"
  if (
    /(^|[-:_./])(build|compile|bundle|dist|tsc|type-?check|types|lint|check|clippy|vet|assemble|package|verify|doc)($|[-:_.])/i.test(
      name,
    )
  )
    return "build"
  return "other"
}

/** What a program is about that has no judge of its own; undefined if it is not known here. */
export function kindOfTool(name: string, args: readonly string[]): Kind | undefined {
  if (TESTS.has(name)) return "test"
  if (BUILDS.has(name)) return "build"
  if (READERS.has(name)) return "read"
  if (TASK_RUNNERS.has(name)) {
    const goals = args.filter((arg) => !/^-|=/.test(arg))
    const kinds = goals.map(kindOfScript)
    if (kinds.includes("test")) return "test"
    return kinds.includes("build") || (goals.length === 0 && /make|ninja|gradle/.test(name))
      ? "build"
      : "other"
  }
  return undefined
}

const TESTS = setOf(
  "vitest jest mocha ava tap jasmine karma pytest py.test unittest nose2 tox nox rspec minitest phpunit pest ctest " +
    "cypress c8 nyc playwright bats shellspec gotestsum",
)
const BUILDS = setOf(
  "tsc vue-tsc tsup tsdown rollup rolldown webpack esbuild swc parcel babel microbundle unbuild gcc g++ cc c++ clang " +
    "clang++ rustc javac kotlinc scalac cmake meson eslint oxlint tslint stylelint biome mypy pyright basedpyright " +
    "flake8 pylint ruff rubocop golangci-lint staticcheck shellcheck hadolint knip depcheck attw publint xcodebuild " +
    "prettier dprint black isort",
)
/** With a goal among their words: `make test`, `vite build`. */
const TASK_RUNNERS = setOf(
  "make gmake ninja just task rake gradle gradlew mvn mvnw ant sbt lein bazel buck dotnet swift mix cargo deno vite " +
    "next nuxt astro remix turbo nx lerna grunt gulp ng expo react-scripts wrangler zig stack cabal rebar3 flutter dart",
)
const READERS = setOf(
  "ls ll dir less more grep egrep fgrep zgrep rg ag ack wc uniq cut tr diff cmp comm file stat du df tree type whereis " +
    "printenv whoami hostname uname arch ps top htop pgrep lsof netstat ss free uptime jq xq gron hexdump od strings " +
    "md5sum sha1sum sha256sum sha512sum shasum md5 cksum sleep seq yes getconf locale man help history jobs wait tty " +
    "column nl fold fmt paste join expr bc dc bat exa eza lsd delta cloc tokei scc export declare typeset local " +
    "readonly shift return exit break continue let getopts hash umask ulimit dirs disown shopt enable times logout " +
    "nm objdump readelf ldd otool lscpu lsblk mount findmnt last who w groups logname test tput clear reset stty " +
    "ping dig nslookup host traceroute ifconfig ip json.tool zcat bzcat xzcat look iconv pstree vmstat iostat",
)
