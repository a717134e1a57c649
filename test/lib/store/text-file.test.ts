import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { createText, readText, removeText } from "../../../src/lib/store/text-file.ts"
import { tempProject } from "../../support/temp-project.ts"

const run = promisify(execFile)

describe("createText", () => {
  it("makes the file with its folders, leaves one that is there as it is, and nothing else behind", async () => {
    const dir = await tempProject()
    const path = join(dir, "a", "b.txt")
    expect(createText(path, "first")).toBe(true)
    expect(createText(path, "second")).toBe(false)
    expect(readText(path)).toBe("first")
    expect(readdirSync(join(dir, "a"))).toEqual(["b.txt"])
  })

  it("of processes that want the same names at once, each name goes to one, and its text stays", async () => {
    const dir = await tempProject()
    const textFile = fileURLToPath(new URL("../../../dist/lib/store/text-file.js", import.meta.url))
    const script = `
      const { createText } = await import(${JSON.stringify(textFile)})
      const mine = []
      for (let n = 0; n < 300; n++) if (createText(${JSON.stringify(dir)} + "/" + n, String(process.pid))) mine.push(n)
      process.stdout.write(JSON.stringify({ pid: process.pid, mine }))`
    const args = ["--input-type=module", "--eval", script]
    const writers = await Promise.all([1, 2, 3].map(() => run(process.execPath, args)))
    const reports = writers.map(({ stdout }) => JSON.parse(stdout) as { pid: number; mine: number[] })
    expect(reports.flatMap(({ mine }) => mine)).toHaveLength(300)
    for (const { pid, mine } of reports)
      for (const n of mine) expect(readFileSync(join(dir, String(n)), "utf8")).toBe(String(pid))
    expect(readdirSync(dir)).toHaveLength(300)
  })
})

it("removeText takes a file away, and is content where there is none", async () => {
  const path = join(await tempProject(), "a.txt")
  createText(path, "x")
  removeText(path)
  removeText(path)
  expect(readText(path)).toBeUndefined()
})
