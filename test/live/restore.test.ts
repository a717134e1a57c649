import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { commitFiles, git } from "../support/git-repo.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, say } from "./bed/steps.ts"

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))

const DESTROY = `import os, subprocess
for path in ("notes.md", ".env"): os.remove(path)
open("src/a.ts", "w").write("overwritten")
for args in (["stash", "drop", "-q"], ["branch", "-qD", "topic"]): subprocess.run(["git", *args])
`

/** A repository with open work, in which an agent has run a script that destroys it. */
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
  bed.model.script(call("bash", { command: "python3 tool.py", description: "tidy" }), say("done"))
  const { toolCalls } = await bed.prompt(await bed.newSession("tidy"), "Tidy up")
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

function expectAllThere(project: string): void {
  for (const [path, text] of Object.entries(OPEN_WORK)) expect(fileText(project, path), path).toBe(text)
}

it("files that a script deletes are reported to the model and the user, and `hivemind restore` brings them back", async () => {
  await using bed = await openBed({ git: true, hive: true })
  const { told, id } = await destroyed(bed)
  expect(told).toContain("deleted notes.md, .env and overwrote src/a.ts")
  expect(told).toContain("only on the topic branch")
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [CLI, "restore", ...args], { cwd: bed.project, encoding: "utf8" })
  expect(run()).toContain("python3 tool.py")
  run(id, "--refs", "--yes")
  expectAllThere(bed.project)
  expect(git(bed.project, "log", "-1", "--format=%s", "topic")).toBe("only on the topic branch")
  expect(git(bed.project, "stash", "list")).toContain("stash@{0}")
  expect(bed.printed()).toBe("")
})
