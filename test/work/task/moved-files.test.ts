import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { connectedAt } from "../../support/connected.ts"
import { gitRepo, writeFiles } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

it("a deleted file counts as missing, until the evidence names what became of it", async () => {
  const dir = gitRepo(await tempProject(), { "lib/b.md": "b\n" })
  const on = connectedAt(dir)
  await on.own("session", { action: "update", level: "action", content: "Write the parser" })
  for (const path of ["src/parse.ts", "src/index.ts"]) {
    const run = () => writeFiles(dir, { [path]: "x\n" })
    await on.call({ tool: "write", args: { filePath: path, content: "x" }, run })
    rmSync(join(dir, path))
  }
  const complete = (evidence: string) => on.own("task", { action: "complete", evidence })
  expect(await complete("See src/parse.ts and lib/b.md")).toMatchObject({
    status: "error",
    why: expect.stringMatching(
      /src\/parse.ts does not exist any more .*; src\/index.ts does not exist any more/,
    ),
  })
  writeFileSync(join(dir, "all.py"), "both\n")
  expect(await complete("It became all.py.")).toMatchObject({ status: "success" })
})
