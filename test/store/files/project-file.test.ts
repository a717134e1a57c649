import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { projectFile } from "../../../src/store/files/project-file.ts"
import { tempProject } from "../../support/temp-project.ts"

async function mapIn(made = true) {
  const home = await tempProject()
  const paths = hivePaths(home)
  if (made) mkdirSync(paths.graph, { recursive: true })
  return { home, paths, map: projectFile(paths, "map", { home, dir: home }) }
}

describe("what was found out about a project", () => {
  it("comes back as it was written, from a file that is JSON with a line for each value", async () => {
    const { map } = await mapIn()
    expect(await map.read()).toBeUndefined()
    expect(await map.write([{ a: 1 }, { b: "two\nlines" }])).toBe(true)
    expect(await map.read()).toEqual([{ a: 1 }, { b: "two\nlines" }])
    expect(JSON.parse(readFileSync(map.path, "utf8"))).toEqual([{ a: 1 }, { b: "two\nlines" }])
    expect(await map.write([])).toBe(true)
    expect(JSON.parse(readFileSync(map.path, "utf8"))).toEqual([])
  })

  it("loses a damaged line and nothing else", async () => {
    const { map } = await mapIn()
    await map.write([{ a: 1 }, { b: 2 }, { c: 3 }])
    writeFileSync(map.path, readFileSync(map.path, "utf8").replace('{"b":2', '{"b:2'))
    expect(await map.read()).toEqual([{ a: 1 }, { c: 3 }])
  })

  it("holds no secret", async () => {
    const { map } = await mapIn()
    await map.write([{ comment: `token ghp_${"a1B2".repeat(9)}` }])
    expect(readFileSync(map.path, "utf8")).toContain("[masked")
  })

  it("is another one in a linked worktree", async () => {
    const { home, paths, map } = await mapIn()
    await map.write([{ a: 1 }])
    expect(await projectFile(paths, "map", { home, dir: `${home}-linked` }).read()).toBeUndefined()
  })

  it("is not written without a hive, nor where a link leads out of the project", async () => {
    expect(await (await mapIn(false)).map.write([{ a: 1 }])).toBe(false)
    const { paths, map } = await mapIn()
    symlinkSync(await tempProject(), paths.project)
    expect(await map.write([{ a: 1 }])).toBe(false)
  })
})
