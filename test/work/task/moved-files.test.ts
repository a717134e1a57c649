import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { connectedAt } from "../../support/connected.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

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

it("a deleted file counts as missing, until the evidence names what became of it", async () => {
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
