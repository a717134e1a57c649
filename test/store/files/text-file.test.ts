import { appendFileSync, existsSync, readdirSync, readlinkSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { jsonLines } from "../../../src/store/files/json-lines.ts"
import { createText, readText } from "../../../src/store/files/text-file.ts"
import { tempProject } from "../../support/temp-project.ts"

describe("createText", () => {
  it("makes the file with its folders, leaves one that is there as it is, and nothing else behind", async () => {
    const dir = await tempProject()
    const path = join(dir, "a", "b.txt")
    expect(createText(path, "first")).toBe(true)
    expect(createText(path, "second")).toBe(false)
    expect(readText(path)).toBe("first")
    expect(readdirSync(join(dir, "a"))).toEqual(["b.txt"])
  })

  it("says what to move out of the way, if a file is in place of its folder", async () => {
    const dir = await tempProject()
    createText(join(dir, "a"), "mine")
    expect(() => createText(join(dir, "a", "b.txt"), "x")).toThrow(
      expect.objectContaining({ code: "not_writable", use_instead: expect.stringContaining(join(dir, "a")) }),
    )
    expect(readText(join(dir, "a"))).toBe("mine")
  })

  it("does not overwrite a file that another process created in this very moment", async () => {
    const dir = await tempProject()
    const path = join(dir, "a.txt")
    // A check for an existing file finds nothing; only creating the file shows that the name is taken.
    symlinkSync(join(dir, "nowhere"), path)
    expect(existsSync(path)).toBe(false)
    expect(createText(path, "second")).toBe(false)
    expect(readlinkSync(path)).toBe(join(dir, "nowhere"))
    expect(readdirSync(dir)).toEqual(["a.txt"])
  })
})

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
