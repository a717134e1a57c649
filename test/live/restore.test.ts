import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { commitFiles, git } from "../support/git-repo.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { bash } from "./bed/steps.ts"

const DESTROY = `import os, subprocess
for path in ("notes.md", ".env"): os.remove(path)
open("src/a.ts", "w").write("overwritten")
for args in (["stash", "drop", "-q"], ["branch", "-qD", "topic"]): subprocess.run(["git", *args])
`

async function destroyed(bed: Bed) {
  const { project } = bed
  const file = (path: string) => join(project, path)
  commitFiles(project, { "src/a.ts": "a\n", "tool.py": DESTROY, ".gitignore": ".env\n.hivemind/\n" }, "more")
  git(project, "branch", "topic")
  git(project, "checkout", "-q", "topic")
  commitFiles(project, { "topic.ts": "only here\n" }, "only on the topic branch")
  git(project, "checkout", "-q", "-")
  writeFileSync(file("src/a.ts"), "put away\n")
  git(project, "stash", "-q")
  for (const [path, text] of Object.entries(OPEN_WORK)) writeFileSync(file(path), text)
  const index = readFileSync(file(".git/index"))
  const { toolCalls } = await bed.prompt(await bed.newSession("tidy"), "Tidy up", bash("python3 tool.py"))
  expect(Object.keys(OPEN_WORK).filter((path) => fileText(project, path) === OPEN_WORK[path])).toEqual([])
  expect(readFileSync(file(".git/index"))).toEqual(index)
  const told = toolCalls[0]?.output ?? ""
  return { told, id: /hivemind restore (S\d+)/.exec(told)?.[1] ?? "" }
}

const OPEN_WORK: Record<string, string> = { "notes.md": "mine\n", ".env": "KEY=1\n", "src/a.ts": "changed\n" }

function fileText(project: string, path: string): string | undefined {
  const whole = join(project, path)
  return existsSync(whole) ? readFileSync(whole, "utf8") : undefined
}

it("files that a script deletes are reported to the model and the user, and `hivemind restore` brings them back", async () => {
  await using bed = await openBed({ git: true, hive: true })
  const { told, id } = await destroyed(bed)
  expect(told).toContain("deleted notes.md, .env and overwrote src/a.ts")
  expect(told).toContain("only on the topic branch")
  expect(bed.cli("restore")).toContain("python3 tool.py")
  bed.cli("restore", id, "--refs", "--yes")
  for (const [path, text] of Object.entries(OPEN_WORK)) expect(fileText(bed.project, path), path).toBe(text)
  expect(git(bed.project, "log", "-1", "--format=%s", "topic")).toBe("only on the topic branch")
  expect(git(bed.project, "stash", "list")).toContain("stash@{0}")
  expect(bed.printed()).toBe("")
})
