// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { describe, expect, it } from "vitest"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"

const FOLDERS = new Set(["/srv/app", "/srv/app/src", "/srv/app/dist", "/srv/app/packages/a"])
const isHeld = (command: string) => {
  const { destructive, losses } = judgeCommand(command, {
    project: "/srv/app",
    home: "/home/me",
    isFolder: (path) => FOLDERS.has(path),
  })
  // A name with a line break is on no disk: asked about it, everything would pass.
  const isReal = (path: string) => !path.includes("\n")
  return (
    destructive !== null ||
    losses.some(({ question }) => question.ask !== "removed" || (!question.isMade && isReal(question.path)))
  )
}
const held = (commands: string[]) => {
  for (const command of commands) it(`held: ${command}`, () => expect(isHeld(command)).toBe(true))
}
const passes = (commands: string[]) => {
  for (const command of commands) it(`passes: ${command}`, () => expect(isHeld(command)).toBe(false))
}

describe("what may print one thing or another is unknown", () => {
  held([
    'T=$(if a; then echo src; else echo dist; fi); rm -rf "$T"',
    'rm -rf "$(if a; then echo dist; else echo src; fi)"',
    'rm -rf "./$(case $1 in a) echo src ;; *) echo dist ;; esac)"',
    'T=$([ -f x ] && echo dist || echo src); rm -rf "$T"',
    "rm -rf $(a && echo src || echo dist)",
    'f() { if a; then echo dist; return; fi; echo src; }; rm -rf "$(f)"',
    'f() { [ -n "$1" ] && echo dist; }; rm -rf "$(f)"/src',
    'f() { echo src; return; echo x; }; rm -rf "$(f)"',
    'rm -rf "dist/$(while a; do echo ../src; done)"',
    'rm -rf "$(for x in $X; do echo dist; done)"/*',
    "if a; then echo rm -rf src; fi | sh",
    "(a && echo src) | xargs rm -rf",
  ])
  passes([
    'rm -rf "$(if [ a ]; then echo dist; else echo dist; fi)"',
    'D=$(cd "$(dirname "$0")" && pwd); rm -rf "$D/dist"',
    'T=$(mktemp -d || mktemp -d -t x); rm -rf "$T"',
    "for x in dist build; do echo $x; done | xargs rm -rf",
    'cd "$(git rev-parse --show-toplevel || pwd)" && rm -rf dist',
  ])
})

describe("arguments move on with shift", () => {
  held([
    'set -- dist src; shift; rm -rf "$1"',
    'f() { shift; rm -rf "$1"; }; f dist src',
    'f() { shift 2; rm -rf "$1"; }; f dist build src',
    'f() { while [ $# -gt 0 ]; do rm -rf "$1"; shift; done; }; f dist build src',
    'set -- dist; shift; rm -rf "$1"/*',
    'set -- dist build src; shift $N; rm -rf "$1"',
    'set -- dist src; if a; then shift; fi; shift; rm -rf "$1"',
  ])
  passes([
    'f() { shift; rm -rf "$1"; }; f src dist',
    'f() { local what=$1; shift; rm -rf "$@"; }; f src dist build',
  ])
})

describe("a variable is unknown after what may have set it unseen", () => {
  held([
    'T=dist; eval "$X"; rm -rf "$T"',
    'T=dist; eval $(cat commands); rm -rf "$T"',
    'T=dist; export $(cat .env); rm -rf "$T"',
    "T=dist; export $(grep -v '^#' .env | xargs); rm -rf \"$T\"",
    'T=dist; while read -r l; do export "$l"; done < .env; rm -rf "$T"',
    'T=dist; declare "$(cat x)"; rm -rf "$T"',
    'T=dist; declare "$N=src"; rm -rf "$T"',
    'T=dist; read "$N" <<< src; rm -rf "$T"',
    "T=dist; read 'T[0]' <<< src; rm -rf \"$T\"",
    'T=dist; printf -v "$N" src; rm -rf "$T"',
    'T=dist; mapfile -t "$N" < f; rm -rf "$T"',
    'T=dist; getopts x: "$N"; rm -rf "$T"',
    'T=dist; unset "$N"; rm -rf "$T/src"',
    'T=dist; source env.sh; rm -rf "$T"',
    'T=dist; . "$F"; rm -rf "$T"',
    'T=dist; source <(make-it); rm -rf "$T"',
    'T=dist; command . ./env.sh; rm -rf "$T"',
    'T=dist; if a; then . ./env.sh; fi; rm -rf "$T"',
    'f() { . ./env.sh; }; T=dist; f; rm -rf "$T"',
    'T=src; source env.sh; rm -rf "${T:?}"',
    'T=dist; builtin read T <<< src; rm -rf "$T"',
    "trap 'T=src' DEBUG; T=dist; rm -rf \"$T\"",
    "trap 'T=src' USR1; T=dist; kill -USR1 $$; rm -rf \"$T\"",
    'h() { T=src; }; trap h ERR; T=dist; rm -rf "$T"',
    'trap "$X" DEBUG; T=dist; rm -rf "$T"',
    'shopt -s lastpipe; T=dist; echo src | read T; rm -rf "$T"',
    'shopt -s lastpipe; T=dist; find-it | while read x; do T=$x; done; rm -rf "$T"',
    "shopt -s lastpipe; cd dist; echo | cd ..; rm -rf *",
    "IFS=,; T=dist,src; rm -rf $T",
    "IFS=:; for d in $(echo dist:src); do rm -rf $d; done",
    "IFS=$X; T=dist,src; rm -rf $T",
    "if a; then IFS=,; fi; T=dist,src; rm -rf $T",
  ])
  passes([
    'source env.sh; T=dist; rm -rf "$T"',
    'T=dist; (. ./env.sh); rm -rf "$T"',
    'T=dist; bash -c "$X"; rm -rf "$T"',
    'ROOT=$(pwd); . ./env.sh; rm -rf "$ROOT/dist"',
    'T=dist; export A=$(cat x); rm -rf "$T"',
    'D=$(mktemp -d); trap \'rm -rf "$D"; exit 1\' INT TERM; rm -rf "$D"',
    'D=$(mktemp -d); h() { code=$?; rm -rf "$D"; exit $code; }; trap h EXIT INT; rm -rf "$D"',
    'T=dist; echo src | read T; rm -rf "$T"',
    'T=dist; while IFS= read -r l; do echo "$l"; done < f; rm -rf $T',
    "IFS=$'\\n\\t'; T=dist; rm -rf $T",
    "IFS=,; T=dist,build; rm -rf $T",
  ])
})

describe("a default is the value where the command has not set another", () => {
  held([
    'X=src; source env.sh; rm -rf "${X:-dist}"',
    'B=$(find-it); rm -rf "${B:-build}"',
    'f() { rm -rf "${1:-dist}"; }; f "$X"',
    'if a; then B=src; fi; rm -rf "${B:-build}"',
    'read B; rm -rf "${B:-build}"',
    'rm -rf "${B:-src}"',
  ])
  passes([
    'rm -rf "${B:-build}"',
    'B=dist; rm -rf "${B:-src}"',
    'clean() { rm -rf "${1:-dist}"; }',
    'clean() { local d=${1:-dist}; rm -rf "$d"; }; clean',
    ': ${B:=build}; rm -rf "$B"',
  ])
})

describe("a variable has up to five values, past that it is unknown", () => {
  const branches = (names: string[]) =>
    `case $1 in ${names.map((name, n) => `${n}) T=${name} ;;`).join(" ")} *) T=out ;; esac; rm -rf "$T"`
  held([
    branches(["dist", "build", "coverage", "src"]),
    branches(["a", "b", "c", "d", "e", "f"].map((n) => `dist/${n}`)),
  ])
  passes([branches(["dist", "build", "coverage", "target"])])
})

describe("a function that may be one or another is each of them", () => {
  held([
    "if a; then f() { rm -rf src; }; else f() { rm -rf dist; }; fi; f",
    "if a; then c() { rm -rf src; }; else c() { :; }; fi; c",
    'f() { T=src; }; a && f() { T=dist; }; f; rm -rf "$T"',
    'f() { echo src; }; a && f() { echo dist; }; rm -rf "$(f)"',
  ])
  passes(["if a; then f() { rm -rf build; }; else f() { rm -rf dist; }; fi; f"])
})

describe("builtin and command run in the shell itself", () => {
  held([
    "cd dist; builtin cd ..; rm -rf *",
    "cd dist; command cd ..; rm -rf *",
    "pushd dist; builtin popd; rm -rf *",
    "builtin eval 'rm -rf src'",
  ])
  passes(["builtin cd dist && rm -rf *"])
})

describe("what a loop still changes after two turns is unknown", () => {
  held([
    'A=dist; B=dist; C=src; while a; do rm -rf "$A"; A=$B; B=$C; done',
    'A=dist; B=dist; C=dist; D=src; while a; do rm -rf "$A"; A=$B; B=$C; C=$D; done',
    'A=dist; B=dist; C=dist; D=dist; E=src; until a; do rm -rf "$A"; A=$B; B=$C; C=$D; D=$E; done',
    'A=dist; B=dist; C=dist; D=src; for ((i=0;i<9;i++)); do rm -rf "$A"; A=$B; B=$C; C=$D; done',
    'A=dist; B=dist; C=dist; D=src; for f in *; do rm -rf "$A"; A=$B; B=$C; C=$D; done',
    'T=dist; for f in *; do rm -rf "$T"; T=$f; done',
    'T=dist; for i in 1 2 3 4 5 6 7 8 9 src 11; do rm -rf "$T"; T=$i; done',
    `T=dist; for i in ${"a ".repeat(70)} src b; do rm -rf "$T"; T=dist; if x; then T=$i; fi; done`,
    "cd dist; while a; do rm -rf *; cd ..; done",
    "cd dist; for i in *; do rm -rf x; cd ..; done",
  ])
  passes([
    'T=dist; i=0; while [ $i -lt 3 ]; do rm -rf "$T"; i=$((i + 1)); done',
    'while read -r l; do ALL="$ALL $l"; T=dist; rm -rf "$T"; done < f',
    "for d in packages/a; do cd $d; rm -rf dist; cd ../..; done; rm -rf dist",
    "for d in packages/*/; do (cd $d && rm -rf dist); done",
    'for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf "dist/$i"; done',
    `for i in ${"a b c ".repeat(20)}; do echo $i; rm -r ./dist; done`,
  ])
})
