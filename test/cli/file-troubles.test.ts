import { appendFileSync, existsSync } from "node:fs"
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { entryLine } from "../../src/store/log/line.ts"
import { asNobody } from "../support/as-nobody.ts"
import { changeUnlogged, partFile } from "../support/parts.ts"
import { aCheckpoint, aPlan, by, uuid } from "../support/records.ts"
import { addMem, editHive, everyFile, fillProject, fold, withStore } from "./filled-project.ts"
import { type CliRun, cli, cliJson, useSandbox } from "./harness.ts"

const box = useSandbox(async (sandbox) => {
  await cli(sandbox, "init --yes --plugin hivemind-opencode")
  const filled = await fillProject(sandbox.project)
  await fold(sandbox.project)
  return filled
})
const hive = (path: string) => join(box.project, ".hivemind", path)

async function bothTell(...texts: string[]): Promise<CliRun> {
  const status = await cli(box, "status")
  const doctor = await cli(box, "doctor --no-start")
  for (const { stdout } of [status, doctor]) for (const text of texts) expect(stdout).toContain(text)
  return status
}

describe("status and doctor report", () => {
  test("a damaged file, what becomes of it, and where a fold has set it aside", async () => {
    const mems = partFile(box.project, "mems")
    editHive(box.project, mems, (text) => text.replace('"content":"Use jose"', '"content":"Use jose'))
    const status = await bothTell(
      "1 part could not be read; the rest is used",
      `.hivemind/${mems}:2:`,
      "the file was changed after HiveMind wrote it; HiveMind reads its records from the log instead",
      "→ Nothing is lost: the log has its records",
    )
    expect([status.code, status.stdout]).toEqual([1, expect.stringContaining("1 mem,")])
    expect((await cliJson(box, "status")).problems).toMatchObject([
      { level: "quarantined", file: mems, place: { line: 2 }, mend: expect.stringMatching(/^Nothing/) },
    ])
    await fold(box.project)
    const folded = await bothTell(".json.broken-")
    const kept = /files {6}broken copies kept for you: graph\/parts\/mems[\w.-]+\.json\.broken-\d{12}\n/
    expect(folded).toMatchObject({ code: 0, stdout: expect.stringMatching(kept) })
  })

  test("a .hivemind that is a link: nothing is read or written there", async () => {
    const elsewhere = join(box.root, "elsewhere")
    await rename(hive(""), elsewhere)
    await symlink(elsewhere, join(box.project, ".hivemind"))
    const before = await everyFile(elsewhere)
    const status = await bothTell(`${join(box.project, ".hivemind")} is a link`)
    expect(status.stdout).not.toContain("2 mems")
    const opened = await openHive(box.project)
    const evidence = `${join(box.project, ".hivemind")} → ${elsewhere}`
    const saved = opened.memory.save({ content: "x" })
    await expect(saved).rejects.toMatchObject({ code: "not_writable", evidence })
    await opened.close()
    expect(await everyFile(elsewhere)).toEqual(before)
  })

  test.each([
    ["a folder", "templates"],
    ["a part", ""],
  ])("%s in it that is a link, also inside of the project", async (_, name) => {
    const linked = name === "" ? partFile(box.project, "mems") : name
    const elsewhere = join(box.project, "elsewhere")
    if (name === "templates") await mkdir(hive(name))
    await rename(hive(linked), elsewhere)
    await symlink(elsewhere, hive(linked))
    const status = await bothTell(
      `.hivemind/${linked}: it is a link; HiveMind neither reads it nor writes to it`,
      "→ Replace the link with a real file or folder, and copy the data you need from its target.",
    )
    expect(status.code).toBe(1)
  })

  test("an unreadable graph, which is not shown as an empty one", async () => {
    await rm(hive("graph"), { recursive: true })
    await writeFile(hive("graph"), "a file in its place")
    const status = await cli(box, "status")
    expect(status.code).toBe(1)
    expect(status.stdout).toContain(".hivemind/graph/: cannot be read: ENOTDIR")
  })

  test("an unreadable part, which is not replaced, while the log can still be written", async () => {
    const mems = partFile(box.project, "mems")
    await rm(hive(mems))
    await mkdir(hive(mems))
    const status = await bothTell(
      `.hivemind/${mems}: the file cannot be read (EISDIR); HiveMind does not replace it`,
      `→ Look at .hivemind/${mems}: it must be readable`,
    )
    expect(status.code).toBe(1)
    await addMem(box.project, 30)
    expect(await fold(box.project)).toMatchObject({ folded: false, note: `${mems} cannot be read` })
  })

  test("a repaired chain, a lost parent and a deleted file, each with its own advice", async () => {
    const { project } = box
    await withStore(project, (store) => store.append(by, (tx) => tx.add("checkpoint", aCheckpoint(30, 4))))
    await fold(project)
    const isTests = (line: string) => line.includes('"title":"Write tests"')
    const without = (text: string) => text.split("\n").filter((line) => !isTests(line))
    await changeUnlogged(project, "tasks", (text) => without(text).join("\n").replace("},\n]", "}\n]"))
    await changeUnlogged(project, "mems", (text) => text.replaceAll(box.task, uuid(77)))
    const anchors = partFile(project, "anchors")
    await rm(hive(anchors))
    const status = await bothTell(
      "checkpoint 00000000: task_id points at task",
      "→ Bring back the record that it links to (`hivemind log <id>`",
      `${anchors}: the file is missing; HiveMind reads its records from the log instead`,
      "→ Nothing to do: HiveMind will write it again from the log.",
      "which does not exist; repaired",
      "→ Nothing to do: HiveMind writes the repair into the log with the next change.",
    )
    expect(status.code).toBe(1)
  })

  test("a broken manifest: the graph is taken from the one before and the log", async () => {
    await addMem(box.project, 30)
    await fold(box.project)
    const manifests = (await readdir(hive("graph"))).filter((name) => name.startsWith("manifest."))
    const newest = manifests.sort().at(-1) ?? ""
    await writeFile(hive(`graph/${newest}`), "{")
    const advice =
      "→ Nothing to do: HiveMind uses the previous manifest and the log, and will write a new manifest."
    const status = await bothTell(`.hivemind/graph/${newest}`, advice)
    expect(status.stdout).toContain("2 mems")
  })

  test("an entry that is not applied because its number was already taken", async () => {
    await withStore(box.project, async (store) => {
      const { entry } = await store.write(by, (tx) => tx.add("plan", aPlan(50)))
      if (entry === null) throw new Error("a new plan is an entry")
      const ops = [{ op: "add", kind: "plan", record: aPlan(51) } as const]
      const late = entryLine({ ...entry, id: uuid(1000), ops }, 2)
      appendFileSync(join(hivePaths(box.project).log, "000002.jsonl"), `\n${late}`)
    })
    const status = await bothTell(
      "1 part could not be read; the rest is used",
      ".hivemind/graph/log/000002.jsonl:3",
      "another process wrote its entry first, so this one was not applied",
      "→ Two processes wrote at the same time",
    )
    expect(status.code).toBe(1)
  })
})

test.each(["plans", "status", "log", "sync"])(
  "hivemind %s does not call a project with an unreadable .hivemind empty",
  async (args) => {
    // Loaded before: another user may not read the modules.
    await cli(box, args)
    const { code, stdout, stderr } = await asNobody(box.root, { [hive("")]: 0o000 }, () => cli(box, args))
    expect(code).not.toBe(0)
    expect(stdout + stderr).not.toMatch(/not set up/)
    const unreadable = expect.stringMatching(/Could not read \.hivemind\/.*not allowed to read it/s)
    if (args !== "sync") expect([code, stderr]).toEqual([4, unreadable])
  },
)

test("a missing path is an error, and no folder is created", async () => {
  const typo = join(box.root, "typo", "path")
  await expect(openHive(typo)).rejects.toMatchObject({ code: "no_project", evidence: typo })
  expect(existsSync(join(box.root, "typo"))).toBe(false)
})
