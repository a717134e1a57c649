import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { jsonLines } from "../../../src/store/files/json-lines.ts"
import { tempProject } from "../../support/temp-project.ts"

it("reads what was appended, in order, and is empty where there is no file", async () => {
  const file = jsonLines(join(await tempProject(), "a", "b.jsonl"))
  expect([file.read(), file.size()]).toEqual([[], 0])
  const added = file.append([{ n: 1 }, { text: "zwei\nü" }])
  expect(file.size()).toBe(added)
  expect(file.read()).toEqual([{ n: 1 }, { text: "zwei\nü" }])
})

it("skips a line that a crash has torn, and keeps the one written after it", async () => {
  const path = join(await tempProject(), "b.jsonl")
  const file = jsonLines(path)
  file.append([1])
  appendFileSync(path, '\n{"n": ')
  file.append([2])
  expect(file.read()).toEqual([1, 2])
})
