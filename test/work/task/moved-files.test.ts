import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { connectedAt } from "../../support/connected.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { exportsIn } from "../../support/hive-at-work.ts"
import { tempProject } from "../../support/temp-project.ts"

/** A task whose agent has written two files and more with a tool. HiveMind is not notified of a person's later changes. */
async function withWritten(...more: string[]) {
  const dir = gitRepo(await tempProject(), { "lib/b.md": "b\n" })
  const on = connectedAt(dir)
  await on.own("session", { action: "update", level: "action", content: "Write the parser" })
  const write = (path: string) => {
    const filePath = join(dir, path)
    mkdirSync(dirname(filePath), { recursive: true })
    return on.call({
      tool: "write",
      args: { filePath, content: "x" },
      run: () => writeFileSync(filePath, "x\n"),
    })
  }
  for (const path of ["src/parse.ts", "src/index.ts", ...more]) await write(path)
  const move = (from: string, to: string) => {
    mkdirSync(dirname(join(dir, to)), { recursive: true })
    renameSync(join(dir, from), join(dir, to))
  }
  const complete = (evidence = "It parses.") => on.own("task", { action: "complete", evidence })
  return { dir, on, move, write, complete }
}

it("a file that a person has moved is not missing: elsewhere, renamed, with its folder, or edited since", async () => {
  const { dir, move, write, complete } = await withWritten("lib/tree.ts", "lib/list.ts", "top.ts", "again.ts")
  move("src/parse.ts", "src/core/parse.ts")
  move("src/index.ts", "src/main.ts")
  move("lib", "library")
  move("top.ts", "core/top.ts")
  appendFileSync(join(dir, "core/top.ts"), "more")
  move("again.ts", "core/again.ts")
  await write("core/again.ts")
  expect(await complete()).toMatchObject({ status: "success" })
})

it("one that is gone for good is; naming what has become of it helps", async () => {
  const { dir, complete } = await withWritten()
  for (const path of ["src/parse.ts", "src/index.ts"]) rmSync(join(dir, path))
  expect(await complete("See src/parse.ts and lib/b.md")).toMatchObject({
    status: "error",
    why: expect.stringMatching(
      /src\/parse.ts does not exist any more .*; src\/index.ts does not exist any more/,
    ),
  })
  writeFileSync(join(dir, "all.py"), "both\n")
  expect(await complete("It became all.py.")).toMatchObject({ status: "success" })
})

it("the export of a session does not call a moved file missing either", async () => {
  const { on, move, dir } = await withWritten()
  move("src/parse.ts", "src/core/parse.ts")
  rmSync(join(dir, "src/index.ts"))
  await on.own("cycle", { action: "export" })
  const texts = JSON.stringify(exportsIn(dir))
  expect(texts).toContain("src/index.ts is missing")
  expect(texts).not.toContain("src/parse.ts is missing")
  expect(texts).not.toContain("src/parse.ts does not exist")
})
