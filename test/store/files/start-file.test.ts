import { mkdirSync, readFileSync, statSync } from "node:fs"
import { expect, it } from "vitest"
import type { SessionStart } from "../../../src/schemas/session-start.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { startFile } from "../../../src/store/files/start-file.ts"
import { tempProject } from "../../support/temp-project.ts"

const start = (session: string, changed: string[] | null = []): SessionStart => ({
  session,
  dir: "/shop",
  at: 1,
  changed,
})

async function project() {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.graph, { recursive: true })
  return { paths, file: startFile(paths) }
}

it("finds the first start of a session in its folder, in the older file too", async () => {
  const { paths, file } = await project()
  file.add(start("ses_1", ["a.ts"]))
  file.add(start("ses_1", ["b.ts"]))
  const many = Array.from({ length: 500 }, (_, n) => `src/some/folder/${n}.ts`)
  for (let n = 0; n < 40; n++) file.add(start(`ses_more${n}`, many))
  file.add(start("ses_last"))
  await expect.poll(() => file.find("ses_last", "/shop")).toBeDefined()
  expect(file.find("ses_1", "/shop")?.changed).toEqual(["a.ts"])
  expect(file.find("ses_1", "/elsewhere")).toBeUndefined()
  expect(readFileSync(paths.olderStarts, "utf8")).toContain("ses_1")
  expect(statSync(paths.starts).size).toBeLessThan(300 * 1024)
})

it("keeps none with more files than fit, rather than a part of them", async () => {
  const { file } = await project()
  file.add(start("ses_big", [`${"x".repeat(70_000)}.ts`]))
  file.add(start("ses_2"))
  await expect.poll(() => file.find("ses_2", "/shop")).toBeDefined()
  expect(file.find("ses_big", "/shop")).toBeUndefined()
})
