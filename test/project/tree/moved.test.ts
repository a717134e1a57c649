import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { findMoved } from "../../../src/project/tree/moved.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { tempProject } from "../../support/temp-project.ts"

it("takes no file for moved that was there long before", async () => {
  const dir = await tempProject()
  mkdirSync(join(dir, "lib"))
  writeFileSync(join(dir, "lib/index.ts"), "x")
  const moved = (writtenMs: number, isOther = () => false) => [
    ...runToEnd(findMoved(dir, new Map([["src/index.ts", writtenMs]]), isOther)),
  ]
  expect(moved(Date.now())).toEqual(["src/index.ts"])
  expect(moved(Date.now() + 60_000)).toEqual([])
  expect(moved(Date.now(), () => true)).toEqual([])
})

it("recognises very many moved files by their names", async () => {
  const dir = await tempProject()
  mkdirSync(join(dir, "new"))
  const names = Array.from({ length: 2000 }, (_, n) => `file-${n}.ts`)
  // Before the new files are written, which takes long on a busy machine.
  const gone = new Map(names.map((name) => [`old/${name}`, Date.now()]))
  for (const name of names.slice(1)) writeFileSync(join(dir, "new", name), "x")
  const found = runToEnd(findMoved(dir, gone, () => false))
  expect(found.size).toBe(1999)
  expect(found.has("old/file-0.ts")).toBe(false)
})
