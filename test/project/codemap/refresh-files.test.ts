import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type CodeMap, codeMapOf, type OpenCodeMap } from "../../../src/project/codemap/code-map.ts"
import { createLayout } from "../../../src/store/files/layout.ts"
import { fileHive } from "../../support/file-hive.ts"
import { gitRepo } from "../../support/git-repo.ts"

const FILES = {
  "a.ts": 'import "./b"\nimport "./d"\nexport const a = 1\n',
  "b.ts": "export const b = 1\n",
  "c.ts": 'import "./a"\nimport "./b"\n',
  "d.ts": "export {}\n",
  ".gitignore": "made.ts\n",
}

async function mapped(isGit = true) {
  const hive = await fileHive()
  if (isGit) gitRepo(hive.dir, FILES)
  else for (const [path, text] of Object.entries(FILES)) writeFileSync(join(hive.dir, path), text)
  const map = codeMapOf(hive)
  await map.graphOf(await map.scan())
  const write = (path: string, text: string) => writeFileSync(join(hive.dir, path), text)
  return { hive, map, write }
}

/** The content of a map, sorted. */
async function told(map: OpenCodeMap, of: CodeMap) {
  const { edges, unresolved, dependents, dependencies } = await map.graphOf(of)
  const sorted = (found: ReadonlyMap<string, readonly object[]>) =>
    [...found].map(([path, each]) => [path, each.map((edge) => JSON.stringify(edge)).sort()]).sort()
  return {
    files: [...of.files.values()].sort((x, y) => (x.path < y.path ? -1 : 1)),
    before: [...of.before].sort(),
    edges: edges.map((edge) => JSON.stringify(edge)).sort(),
    unresolved,
    dependents: sorted(dependents),
    dependencies: sorted(dependencies),
  }
}

it("a look at single files finds in them what a look at all finds", async () => {
  const { hive, map, write } = await mapped()
  write("a.ts", 'import "./c"\nimport "./gone"\nexport const renewed = 1 // TODO: more\n')
  write("b.ts", 'import "./a"\n')
  const quick = await told(map, await map.refreshFiles(["a.ts", "b.ts", "README.md"]))
  expect(quick.edges.map((edge) => Object.values(JSON.parse(edge)).join(" "))).toEqual([
    "a.ts c.ts import",
    "b.ts a.ts import",
    "c.ts a.ts import",
    "c.ts b.ts import",
  ])
  expect(quick.unresolved).toMatchObject([{ from: "a.ts", spec: "./gone" }])
  const anew = codeMapOf({ ...hive })
  const { before: _, ...whole } = await told(anew, await anew.refresh())
  expect(quick).toMatchObject(whole)
})

it("it takes in a new file, leaves out an ignored one, and forgets one that is gone", async () => {
  const { map, write, hive } = await mapped()
  write("new.ts", 'import "./b"\n')
  write("made.ts", "export {}\n")
  rmSync(join(hive.dir, "c.ts"))
  const { files, before } = await map.refreshFiles(["new.ts", "made.ts", "c.ts"])
  expect([...files.keys()].sort()).toEqual(["a.ts", "b.ts", "d.ts", "new.ts"])
  expect([...before.keys()].sort()).toEqual(["c.ts", "new.ts"])
})

it("what it has found comes to the disk with the next look at all, and is told as changed since the scan", async () => {
  const { map, write, hive } = await mapped()
  await createLayout(hive.home)
  const kept = join(hive.home, ".hivemind/project/codemap.json")
  write("a.ts", "export const renewed = 1\n")
  await map.refreshFiles(["a.ts"])
  expect(existsSync(kept)).toBe(false)
  expect([...(await map.refresh()).before.keys()]).toEqual(["a.ts"])
  expect(readFileSync(kept, "utf8")).toContain("renewed")
})

it("a configuration, and a new file where no git tells what is ignored, need a look at all", async () => {
  const { map, write } = await mapped(false)
  write("new.ts", "export {}\n")
  expect((await map.refreshFiles(["new.ts"])).listed).toContain("new.ts")
  write("package.json", '{ "imports": { "#b": "./b.ts" } }')
  expect((await map.refreshFiles(["package.json"])).listed).toContain("package.json")
})

it("a graph in use stays as it was when files change", async () => {
  const { map, write } = await mapped()
  const first = await map.refresh()
  const graph = await map.graphOf(first)
  const was = JSON.stringify([...graph.dependents])
  write("d.ts", 'import "./b"\n')
  await map.graphOf(await map.refreshFiles(["d.ts"]))
  expect(JSON.stringify([...graph.dependents])).toBe(was)
})
