// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

const judged = (command: string) => judgeCommand(command, { project: "/srv/app", home: "/home/me" })
const isHeld = (command: string) => {
  const { destructive, losses } = judged(command)
  return destructive !== null || losses.some(({ question }) => question.ask !== "removed" || !question.isMade)
}

describe("what is not set for certain is unknown, and a target that nobody knows is not deleted", () => {
  const held = [
    'rm -rf "$X"/*',
    'rm -rf "$X"',
    'rm -rf "$A/$B"',
    "cd $X && rm -rf *",
    "rm -rf $(BUILDDIR)/*",
    'clean() { rm -rf "$1"/*; }; clean',
    "$SUDO rm -rf ~",
    '$SUDO rm -rf "$T"',
    'X=$(find-it); rm -rf "$X"',
    'X=$(find-it); rm -rf "${X:?}"',
    'source env.sh; rm -rf "$X"',
    'read X; rm -rf "$X"',
    'set -- $(find-it); while getopts o: o; do rm -rf "$OPTARG"; done',
    'cd "${X:?}" && rm -rf ../*',
    'rm -rf "${X:?}/../src"',
    // A guard somewhere in the text keeps nothing from running.
    '[ -z "$OUT" ] && echo "not set"; rm -rf "$OUT"/*',
    '# [ -n "$OUT" ]\nrm -rf "$OUT"/*',
    '[ -n "$P" ] && echo; echo x > ".hive${P}mind/graph/x.json"',
    'echo x > ".hive${P:?}mind/graph/x.json"',
    'if [ -n "$SUBDIR" ]; then cd "$SUBDIR"; fi; git clean -fd',
    'set -u; set +u; rm -rf "$OUT"/*',
    '(set -u); rm -rf "$OUT"/*',
    'bash -c "set -u"; rm -rf "$OUT"/*',
    // Set in a way that is no plain assignment.
    'setup() { TARGET=src; }; setup; rm -rf "$TARGET"',
    'parse() { DIR="$1"; }; parse src; rm -rf "$DIR"',
    'init() { P=.hivemind; }; init; rm -rf "$P/graph"',
    'init() { P=.hivemind; }; init; echo x > "$P/graph/x.json"',
    'mapfile -t F < <(git ls-files -m); rm -f "${F[@]}"',
    'export "T=src"; rm -rf $T',
    'X=T; declare "$X=src"; rm -rf $T',
    'declare -n R=T; T=src; rm -rf "$R"',
    'declare -n R=T; T=dist; R=src; rm -rf "$T"',
    'printf -v T src; rm -rf "$T"',
    'f() { T=src; g; }; g() { rm -rf "$T"; }; f',
    'f() { local T; rm -rf "$T"/*; }; T=dist; f',
  ]
  for (const command of held)
    it(command, () => {
      expect(isHeld(command)).toBe(true)
    })
})

describe("after a branch a variable has each of the values that it may have got", () => {
  const held = [
    'if [ -f package.json ]; then T=src; else T=dist; fi; rm -rf "$T"',
    'if [ -f package.json ]; then T=dist; else T=src; fi; rm -rf "$T"',
    'if a; then T=dist; elif b; then T=src; else T=build; fi; rm -rf "$T"',
    'T=src; false && T=; rm -rf "$T"',
    'T=src; true || T=dist; rm -rf "$T"',
    'T=src; [ -d dist ] && T=dist; rm -rf "$T"',
    'a && T=src || T=dist; rm -rf "$T"',
    'case $1 in a) T=src ;; *) T=dist ;; esac; rm -rf "$T"',
    'case $1 in a) T=dist ;; esac; rm -rf "$T"',
    'T=src; while read x; do T=dist; done; rm -rf "$T"',
    'T=src; for f in $(find-it); do T=dist; done; rm -rf "$T"',
    'for d in src dist; do [ -d $d ] && break; done; rm -rf "$d"',
    'T=dist; while a; do rm -rf "$T"; T=src; done',
    'f() { if a; then T=src; return; fi; T=dist; }; f; rm -rf "$T"',
    'if a; then P=.hivemind; else P=out; fi; echo x > "$P/graph/x"',
    'if a; then P=.hivemind; else P=out; fi; { echo x; } > "$P/graph/x"',
    'if a; then P=.hivemind; else P=out; fi; F="$P/graph/x"; echo x > "$F"',
    'if a; then A=.hivemind; B=graph; else A=out; B=x; fi; echo x > "$A/$B/y"',
    'if a; then T=src; else T=dist; fi; for d in $T; do rm -rf "$d"; done',
    'if a; then T=src; else T=dist; fi; bash -c "rm -rf $T"',
    "[ -d build ] && cd build; git clean -fd",
    "if a; then cd dist; fi; rm -rf *",
  ]
  for (const command of held)
    it(`held: ${command}`, () => {
      expect(isHeld(command)).toBe(true)
    })

  const passing = [
    'if a; then T=build; else T=dist; fi; rm -rf "$T"',
    'T=dist; [ -d build ] && T=build; rm -rf "$T"',
    'a && T=build || T=dist; rm -rf "$T"',
    'case $1 in a) T=build ;; *) T=dist ;; esac; rm -rf "$T"',
    'if a; then T=dist; else echo usage; exit 1; fi; rm -rf "$T"',
    'case $1 in a) T=dist ;; *) exit 1 ;; esac; rm -rf "$T"',
    "mkdir -p dist && cd dist; rm -rf *",
    "cd dist || exit 1; rm -rf *",
    'OUT=$(mktemp -d); rm -rf "$OUT"/*',
    'OUT="${1:-dist}"; rm -rf "$OUT"/*',
    'rm -rf "${X:?}"',
    'rm -rf "${X:?}/"*',
    "rm -rf ${X:?not set}/*",
    'export OUT=dist; rm -rf "$OUT"',
    'f() { local T=src; }; T=dist; f; rm -rf "$T"',
    'setup() { TARGET=dist; }; setup; rm -rf "$TARGET"',
    'for d in dist build; do rm -rf "$d"; done',
    'declare -a A=(dist build); rm -rf "${A[@]}"',
  ]
  for (const command of passing)
    it(`passes: ${command}`, () => {
      expect(isHeld(command)).toBe(false)
    })
})

it("the worst of the values is asked of git and the file system", async () => {
  const dir = gitRepo(await tempProject())
  writeFileSync(join(dir, "own.txt"), "in no commit\n")
  const refused = lossAsker(dir)
  await expectRefused(refused, [
    "if [ -f x ]; then T=own.txt; else T=not-there; fi; rm $T",
    "T=own.txt; [ -f x ] && T=not-there; rm $T",
  ])
  await expectPassed(refused, ["if [ -f x ]; then T=gone; else T=not-there; fi; rm $T"])
})
