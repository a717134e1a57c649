import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { connectedAt } from "../../support/connected.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { exportsIn } from "../../support/hive-at-work.ts"
import { tempProject } from "../../support/temp-project.ts"

/** A task whose agent has written two files with a tool. What a person does then, nobody tells HiveMind. */
async function withWritten() {
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
  await write("src/parse.ts")
  await write("src/index.ts")
  const move = (from: string, to: string) => {
    mkdirSync(dirname(join(dir, to)), { recursive: true })
    renameSync(join(dir, from), join(dir, to))
  }
  const complete = (evidence = "It parses.") => on.own("task", { action: "complete", evidence })
  return { dir, on, move, write, complete }
}

it("a file that a person has moved is not missing: elsewhere, renamed, with its folder, or edited since", async () => {
  const ways: Record<string, (on: Awaited<ReturnType<typeof withWritten>>) => unknown> = {
    elsewhere: ({ move }) => move("src/parse.ts", "src/core/parse.ts"),
    renamed: ({ move }) => move("src/parse.ts", "src/parser.ts"),
    "with its folder": ({ move }) => move("src", "source"),
    "edited since": ({ move, dir }) => {
      move("src/parse.ts", "core/parse.ts")
      appendFileSync(join(dir, "core/parse.ts"), "more")
    },
    "edited by the agent since": async ({ move, write }) => {
      move("src/parse.ts", "core/parse.ts")
      await write("core/parse.ts")
    },
  }
  for (const [name, moves] of Object.entries(ways)) {
    const on = await withWritten()
    await moves(on)
    expect([name, await on.complete()]).toMatchObject([name, { status: "success" }])
  }
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
