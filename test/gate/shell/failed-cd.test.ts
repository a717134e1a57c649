import { describe, expect, it } from "vitest"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"

const FOLDERS = new Set(["/srv/app", "/srv/app/src", "/tmp", "/home/me"])
const judged = (command: string) =>
  judgeCommand(command, {
    project: "/srv/app",
    home: "/home/me",
    isFolder: (path) => FOLDERS.has(path),
  })

/** Something where the command starts would be lost, as far as its text says. */
function hitsTheStart(command: string): boolean {
  const { destructive, losses } = judged(command)
  const places = losses.map(({ question }) =>
    "cwd" in question ? question.cwd : "path" in question ? question.path : "",
  )
  return destructive !== null || places.some((path) => path === "/srv/app" || path === "/srv/app/docs")
}

describe("what follows a cd that may fail is judged where one stood before too", () => {
  it.each([
    "cd missing; rm -rf *",
    "cd missing; git clean -fd",
    "cd missing; git checkout .",
    "cd /tmp/missing; git reset --hard",
    "cd missing; find . -delete",
    "cd /tmp/missing || true; rm -rf docs",
    "cd missing 2>/dev/null\nrm -rf docs",
    "pushd missing; rm -rf docs",
    "cd missing && ls; rm -rf docs",
    "A=1 cd missing; rm -rf docs",
    "cd /tmp/a; cd /tmp/a/b; rm -rf docs",
    "cd src; cd missing; cd -; rm -rf docs",
    "pushd src; pushd missing; popd; rm -rf docs",
    "set -e; cd missing || true; rm -rf docs",
    'cd "$DIR"; rm -rf docs',
    "f() { cd missing; }; f; rm -rf docs",
    "if a; then cd missing; fi; rm -rf docs",
    "builtin cd missing; rm -rf docs",
    "eval cd missing; rm -rf docs",
    // What `set -e` does not end.
    "set -e; cd missing && ls; rm -rf docs",
    "set -e; f() { cd missing; rm -rf docs; }; f || true",
    "set -e; if f() { :; }; then :; fi; if { cd missing; rm -rf docs; }; then :; fi",
    "(set -e; cd missing; rm -rf docs) || true",
    "set -e; { cd missing; rm -rf docs; } || true",
    "set -e; ! { cd missing; rm -rf docs; }",
    "set -e; while { cd missing; rm -rf docs; }; do break; done",
    "set -e; { cd missing; rm -rf docs; } && true",
    "(set -e); cd missing; rm -rf docs",
    "bash -c 'set -e'; cd missing; rm -rf docs",
    "$(set -e); cd missing; rm -rf docs",
    "set -e & cd missing; rm -rf docs",
    "true | set -e; cd missing; rm -rf docs",
    "if a; then set -e; fi; cd missing; rm -rf docs",
    "a && set -e; cd missing; rm -rf docs",
    "f() { set -e; }; cd missing; rm -rf docs",
    "set -o errexit; set +o errexit; cd missing; rm -rf docs",
    "case $x in a) set -e;; esac; cd missing; rm -rf docs",
  ])("%s", (command) => {
    expect(hitsTheStart(command)).toBe(true)
  })
})

describe("where it has not failed for sure, only there", () => {
  it.each([
    "cd src; npm test",
    "cd src; rm -rf docs",
    "cd src || true; git checkout .",
    "cd missing; npm test",
    "cd missing && rm -rf docs && git clean -fd",
    "set -e; cd missing; rm -rf docs",
    "cd missing || exit 1; rm -rf docs",
    "set -e\ncd src && ls\ncd missing\nrm -rf docs",
    "set -e; a || true; cd missing; rm -rf docs",
    "set -e; if a; then b; fi; cd missing; rm -rf docs",
    "set -e; (cd missing; rm -rf docs)",
    "set -e; f() { cd missing; rm -rf docs; }; f",
    "bash -ec 'cd missing; rm -rf docs'",
    "set -euo pipefail; X=$(foo); cd missing; rm -rf docs",
    "cd missing || { echo no; exit 1; }; git reset --hard",
    "mkdir -p new/er; cd new; rm -rf docs",
    "git clone https://example.com/a/b.git; cd b; git clean -fd",
    "cd $(mktemp -d); rm -rf docs",
    "ssh host 'cd /srv/x; git pull'",
  ])("%s", (command) => {
    expect(hitsTheStart(command)).toBe(false)
  })
})

it("a folder is asked for anew each time", () => {
  expect(hitsTheStart("cd later; git clean -fd")).toBe(true)
  FOLDERS.add("/srv/app/later")
  expect(hitsTheStart("cd later; git clean -fd")).toBe(false)
})
