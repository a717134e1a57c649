import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { by, uuid } from "../support/records.ts"
import { everyFile, fillProject, MEM, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  await fillProject(box.project)
})

describe("recall", () => {
  test("prints what is known with why, and writes nothing", async () => {
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await cli(box, ["recall", "which", "jose", "library?"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^00000000 insight, \d{4}-\d{2}-\d{2}\n {2}Use jose\n {2}found by words: jose\n$/)
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("--json has whole ids, score and why; --kind and --archived choose", async () => {
    const { stdout } = await cli(box, ["recall", "jose", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      status: "success",
      query: "jose",
      hits: [{ id: MEM, kind: "insight", why: "words: jose", archived: false, score: expect.any(Number) }],
    })
    for (const choice of [["--kind", "decision"], ["--archived"]]) {
      const none = await cli(box, ["recall", "jose", "--json", ...choice])
      expect(none.code).toBe(1)
      expect(JSON.parse(none.stdout).hits).toEqual([])
    }
  })

  test("tasks that failed at it come after the mems, with the reason; not where mems of a kind are asked for", async () => {
    await withStore(box.project, (store) =>
      store.write(by, (tx) =>
        tx.set("task", uuid(4), { status: "failed", reason: "no browser on the server" }),
      ),
    )
    const { code, stdout } = await cli(box, ["recall", "write", "jose", "tests"])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /Use jose\n[\s\S]*\n\n00000000 failed task, [\d-]+\n {2}Write tests\n {2}because: no browser on the server\n {2}found by words: write, tests\n$/,
    )
    const json = JSON.parse((await cli(box, ["recall", "browser", "--json"])).stdout)
    expect(json).toMatchObject({
      status: "success",
      hits: [],
      failed_tasks: [
        { id: uuid(4), title: "Write tests", reason: "no browser on the server", why: "words: browser" },
      ],
    })
    const decisions = await cli(box, ["recall", "browser", "--kind", "decision", "--json"])
    expect(decisions.code).toBe(1)
    expect(JSON.parse(decisions.stdout)).toMatchObject({ hits: [], failed_tasks: [] })
  })

  test("nothing known is exit code 1, wrong usage is 2", async () => {
    const { code, stdout } = await cli(box, ["recall", "photosynthesis"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "Nothing is known about that.\n" })
    expect((await cli(box, ["recall"])).code).toBe(2)
    expect((await cli(box, ["recall", "jose", "--limit", "0"])).code).toBe(2)
    expect((await cli(box, ["recall", "jose", "--kind", "rumour"])).code).toBe(2)
  })
})

describe("memory", () => {
  test("lists, shows one, and flags one with a reason that recall then tells", async () => {
    expect((await cli(box, ["memory"])).stdout).toBe(`${MEM} context/insight  Use jose\n`)
    expect((await cli(box, ["memory", MEM])).stdout).toMatch(/content +Use jose\n/)
    expect((await cli(box, ["memory", MEM, "--flag"])).code).toBe(2)
    const flagged = await cli(box, ["memory", MEM, "--flag", "no longer kept up"])
    expect(flagged.code).toBe(0)
    expect(flagged.stdout).toMatch(/^00000000 is a false path now: no longer kept up\n`hivemind undo \w{8}` /)
    expect((await cli(box, ["memory"])).stdout).toBe("Nothing is remembered yet.\n")
    expect((await cli(box, ["recall", "jose"])).stdout).toContain("because: no longer kept up")
    expect((await cli(box, ["memory", "--delete"])).code).toBe(2)
    expect((await cli(box, ["memory", "ffffffff"])).code).toBe(1)
  })

  test("show says which evidence still holds, and how far the mem is to be trusted by now", async () => {
    await writeFile(join(box.project, "notes.txt"), "one")
    const hive = await openHive(box.project)
    const { id } = await hive.memory.save({
      content: "It says one",
      kind: "fact",
      evidence: ["notes.txt:1", "Ann said so"],
    })
    await hive.close()
    const show = async () => (await cli(box, ["memory", id])).stdout
    expect(await show()).toMatch(/evidence +notes\.txt:1@[0-9a-f]{16} \(verified\)\n +Ann said so\n/)
    expect(await show()).toMatch(/confidence +1, now 1\.00\n/)
    await writeFile(join(box.project, "notes.txt"), "two")
    expect(await show()).toMatch(/notes\.txt:1@[0-9a-f]{16} \(changed\)/)
    expect(await show()).toMatch(/confidence +1, now 0\.50 \(unverified\)/)
    await writeFile(join(box.project, "notes.txt"), "one")
    expect(await show()).toContain("(verified)")
  })
})
