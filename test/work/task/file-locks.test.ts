import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { keptLock } from "../../../src/work/task/holder.ts"
import { tempProject } from "../../support/temp-project.ts"

it("keeps a lock relative to the project, however it was named", async () => {
  const root = realpathSync(await tempProject())
  const dir = join(root, "app")
  mkdirSync(join(dir, "src"), { recursive: true })
  symlinkSync(dir, join(root, "link"))
  const table: [string, string][] = [
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src/", "src"],
    ["src/x/../a.ts", "src/a.ts"],
    [`${dir}/src/a.ts`, "src/a.ts"],
    [`${dir}/src/**/*.ts`, "src/**/*.ts"],
    [`${root}/link/src/a.ts`, "src/a.ts"],
    [dir, "."],
    [".", "."],
    [`${root}/other/a.ts`, `${root}/other/a.ts`],
  ]
  expect(table.map(([given]) => keptLock(dir, given))).toEqual(table.map(([, kept]) => kept))
})
