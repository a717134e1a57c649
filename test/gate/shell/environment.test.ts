// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { realpathSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

const destroyed = (command: string, env: Record<string, string> = {}) =>
  judgeCommand(command, { project: "/srv/app", home: "/home/me", env }).destructive?.what

describe("a variable that nothing sets is empty", () => {
  const grave = [
    'rm -rf "$X"/*',
    "rm -rf $X/*",
    'rm -rf "$X/"',
    'rm -rf "${X}"/',
    'rm -rf "$A/$B"',
    "cd $X && rm -rf *",
    "rm -rf $(BUILDDIR)/*",
    'clean() { rm -rf "$1"/*; }; clean',
    'pkill -f "$NAME"',
    'chmod -R 777 "$X/"',
    "$SUDO rm -rf ~",
    // Not empty for sure: nobody can tell what it is.
    'X=$(find-it); rm -rf "$X"',
    'rm -rf "$(find-it)"',
    'source env.sh; rm -rf "$X"',
    '. ./env.sh && rm -rf "$X"',
    'export $(cat .env); rm -rf "$X"',
    'eval "$(find-it)"; rm -rf "$X"',
    'read X; rm -rf "$X"',
    'for f in $(find-it); do rm -rf "$f"; done',
    'set -- $(find-it); while getopts o: o; do rm -rf "$OPTARG"; done',
    'ssh host "rm -rf \\"\\$X\\"/*"',
  ]
  for (const command of grave)
    it(`refused: ${command}`, () => {
      expect(destroyed(command)).toBeDefined()
    })

  const harmless = [
    'rm -rf "$X"',
    "rm -rf $X",
    'rm -f "$A" "$B"',
    'rm -rf "${X:?}"',
    'rm -rf "${X:?}/"*',
    "rm -rf ${X:?not set}/*",
    ': "${X:?}"; rm -rf "$X"/*',
    '[ -n "$X" ] && rm -rf "$X"/*',
    '[ -z "$X" ] && exit 1\nrm -rf "$X"/*',
    'if [ -d "$X" ]; then rm -rf "$X"/*; fi',
    '[[ -d ${X} ]] && rm -rf "${X}"/*',
    'test -n "$X" && rm -rf "$X"/',
    '[ "$X" != "" ] && rm -rf "$X"/*',
    'set -u; rm -rf "$X"/*',
    'set -euo pipefail\nrm -rf "$X"/*',
    'OUT=$(mktemp -d); rm -rf "$OUT"/*',
    'OUT="${1:-dist}"; rm -rf "$OUT"/*',
    'D=$(find-it); rm -rf "${D:?}"',
    "set -u; rm -rf /opt/$ARCH",
    "find $(go env GOCACHE) -type f -mmin +90 -delete",
    'clean() { rm -rf "$1"; }',
    'for f in $FILES; do rm -rf "$f"/*; done',
    'mkdir -p "$(mktemp -d)" && cd "$_" && rm -rf *',
    'D=/tmp/x; while getopts d: o; do D=$OPTARG; done; rm -rf "$D"',
    "rm $(ARCHIVE)",
    '$compose rm -f "$(find-it)"',
    "docker exec web rm -f /var/run/ready",
    'install "$A/$B" "$C/$D"',
  ]
  for (const command of harmless)
    it(`passes: ${command}`, () => {
      expect(destroyed(command)).toBeUndefined()
    })
})

it("is what the environment says where it is a path; anything else is not looked at", () => {
  const judge = (OUT: string) => judgeCommand('rm -rf "$OUT"', { project: "/srv/app", env: { OUT } })
  expect(judge("/tmp/x/out").destructive).toBeNull()
  expect(judge("/srv/app/src").losses).toMatchObject([{ question: { ask: "removed", path: "/srv/app/src" } }])
  expect(judge("/opt/data").destructive?.what).toBe("deletes /opt/data, which is outside of the project")
  expect(judge("ghp_secret").destructive?.what).toBe("deletes what cannot be known: …")
  expect(judge("").destructive).toBeNull()
  expect(destroyed('rm -rf "$constructor"')).toBeUndefined()
  expect(destroyed('OUT=/tmp/x; rm -rf "$OUT"', { OUT: "/opt/data" })).toBeUndefined()
})

it("what is meant to be in a folder and ends up at the root is asked of the file system", async () => {
  const dir = realpathSync(gitRepo(await tempProject()))
  const refused = lossAsker(dir, "/home/me", {})
  await expectRefused(refused, ['rm -rf "$X/bin"', 'OUT="$X/usr"; rm -rf "$OUT"', "rm -rf ${X}/etc/*"])
  await expectPassed(refused, [
    'rm -rf "$X/not-there"',
    'OUT="$X/not-there"; rm -rf "$OUT/a" "$OUT"/*',
    "rm -rf $(BUILDDIR)/not-there",
  ])
})
