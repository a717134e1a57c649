import { expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { by, uuid } from "../support/records.ts"
import { everyFile, MEM, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, projectFiles, shown } from "./harness.ts"

const box = useFilledProject()
const { put } = projectFiles(box)

test("prints the hits with the reason for each, and writes nothing", async () => {
  const before = await everyFile(box.project)
  expect(await shown(box, "recall which jose library?")).toMatch(
    /^00000000 insight, \d{4}-\d{2}-\d{2}\n {2}Use jose\n {2}found by words: jose\n$/,
  )
  expect(await everyFile(box.project)).toEqual(before)
})

test("--json has whole ids, score and why; --kind and --archived choose", async () => {
  const hit = { id: MEM, kind: "insight", why: "words: jose", archived: false, score: expect.any(Number) }
  expect(await cliJson(box, "recall jose")).toMatchObject({ status: "success", query: "jose", hits: [hit] })
  for (const choice of ["--kind decision", "--archived"])
    expect((await cliJson(box, `recall jose ${choice}`)).hits).toEqual([])
})

test("failed tasks come after the mems, with their reason, unless --kind is given", async () => {
  const reason = "no browser on the server"
  await withStore(box.project, (store) =>
    store.write(by, (tx) => tx.set("task", uuid(4), { status: "failed", reason })),
  )
  expect(await shown(box, "recall write jose tests")).toMatch(
    /Use jose\n[\s\S]*\n\n00000000 failed task, [\d-]+\n {2}Write tests\n {2}because: no browser on the server\n {2}found by words: write, tests\n$/,
  )
  const failed = { id: uuid(4), title: "Write tests", reason, why: "words: browser" }
  const found = await cliJson(box, "recall browser")
  expect(found).toMatchObject({ status: "success", hits: [], failed_tasks: [failed] })
  const decisions = await cliJson(box, "recall browser --kind decision")
  expect(decisions).toMatchObject({ hits: [], failed_tasks: [] })
})

test("exits with 1 if nothing is found, and with 2 on wrong usage", async () => {
  const { code, stdout } = await cli(box, "recall photosynthesis")
  expect({ code, stdout }).toEqual({ code: 1, stdout: "Nothing is known about that.\n" })
  for (const args of ["recall", "recall jose --limit 0", "recall jose --kind rumour"])
    expect((await cli(box, args)).code).toBe(2)
})

test("memory shows which evidence still holds, and the mem's current confidence", async () => {
  expect(await shown(box, "memory")).toBe(`${MEM} context/insight  Use jose\n`)
  put("notes.txt", "one")
  const hive = await openHive(box.project)
  const evidence = ["notes.txt:1", "Ann said so"]
  const { id } = await hive.memory.save({ content: "It says one", kind: "fact", evidence })
  await hive.close()
  const mem = () => shown(box, `memory ${id}`)
  expect(await mem()).toMatch(/evidence +notes\.txt:1@[0-9a-f]{16} \(verified\)\n +Ann said so\n/)
  expect(await mem()).toMatch(/confidence +1, now 1\.00\n/)
  put("notes.txt", "two")
  expect(await mem()).toMatch(/notes\.txt:1@[0-9a-f]{16} \(changed\)/)
  expect(await mem()).toMatch(/confidence +1, now 0\.50 \(unverified\)/)
  put("notes.txt", "one")
  expect(await mem()).toContain("(verified)")
})
