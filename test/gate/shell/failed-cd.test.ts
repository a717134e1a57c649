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
