import { appendFileSync, existsSync } from "node:fs"
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { openHive } from "../../src/api.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { entryLine } from "../../src/store/log/line.ts"
import { asNobody } from "../support/as-nobody.ts"
import { partFile } from "../support/parts.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { everyFile, fillProject, withStore } from "./filled-project.ts"
import { type CliRun, cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  await cli(box, ["init", "--yes", "--plugin", "hivemind-opencode"])
  await fillProject(box.project)
  await fold()
})

const hive = (path: string) => join(box.project, ".hivemind", path)
const fold = () => withStore(box.project, (store) => store.fold())

async function bothTell(...texts: string[]): Promise<CliRun[]> {
  const runs = [await cli(box, ["status"]), await cli(box, ["doctor", "--no-start"])]
  for (const { stdout } of runs) for (const text of texts) expect(stdout).toContain(text)
  return runs
}

describe("status and doctor tell of", () => {
  test("a .hivemind that is a link: nothing is read or written there", async () => {
    const elsewhere = join(box.root, "elsewhere")
    await rename(hive(""), elsewhere)
    await symlink(elsewhere, join(box.project, ".hivemind"))
    const before = await everyFile(elsewhere)
    const [status] = await bothTell(`${join(box.project, ".hivemind")} is a link`)
    expect(status?.stdout).not.toContain("2 mems")
    const opened = await openHive(box.project)
    await expect(opened.memory.save({ content: "x" })).rejects.toMatchObject({
      code: "not_writable",
      evidence: `${join(box.project, ".hivemind")} → ${elsewhere}`,
    })
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
    const [status] = await bothTell(
      `.hivemind/${linked}: it is a link; HiveMind neither reads it nor writes to it`,
      "→ Replace the link by a real file or folder; copy the data to keep from the link's target.",
    )
    expect(status?.code).toBe(1)
  })

  test("a folder of the graph that is a link: nothing is shown, and no fold replaces it", async () => {
    await rename(hive("graph/parts"), join(box.root, "parts"))
    await symlink(join(box.root, "parts"), hive("graph/parts"))
    await bothTell(
      `${hive("graph/parts")} is a link`,
      "→ Look at .hivemind/graph/: it must be readable, no link",
    )
    await expect(fold()).rejects.toMatchObject({ code: "not_writable" })
  })

  test("a part that cannot be read: nothing is put in its place, and the log goes on", async () => {
    const mems = partFile(box.project, "mems")
    await rm(hive(mems))
    await mkdir(hive(mems))
    const [status] = await bothTell(
      `.hivemind/${mems}: the file cannot be read (EISDIR); nothing is put in its place`,
      `→ Look at .hivemind/${mems}: it must be readable`,
    )
    expect(status?.code).toBe(1)
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(30))))
    expect(await fold()).toMatchObject({ folded: false, note: `${mems} cannot be read` })
  })

  test("a broken manifest: the graph is taken from the one before and the log", async () => {
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(30))))
    await fold()
    const manifests = (await readdir(hive("graph"))).filter((name) => name.startsWith("manifest."))
    const newest = manifests.sort().at(-1) ?? ""
    await writeFile(hive(`graph/${newest}`), "{")
    const [status] = await bothTell(
      `.hivemind/graph/${newest}`,
      "→ Nothing to do: the one before it and the log are in use, and the next fold writes a new one.",
    )
    expect(status?.stdout).toContain("2 mems")
  })

  test("an entry that came too late to count", async () => {
    await withStore(box.project, async (store) => {
      const { entry } = await store.write(by, (tx) => tx.add("plan", aPlan(50)))
      if (entry === null) throw new Error("a new plan is an entry")
      const late = {
        ...entry,
        id: uuid(1000),
        ops: [{ op: "add", kind: "plan", record: aPlan(51) } as const],
      }
      appendFileSync(join(hivePaths(box.project).log, "000002.jsonl"), `\n${entryLine(late, 2)}`)
    })
    const [status] = await bothTell(
      "1 part could not be used; the rest is in use",
      ".hivemind/graph/log/000002.jsonl:3",
      "another entry came first; it was not applied",
      "→ Its writer had lost the lock",
    )
    expect(status?.code).toBe(1)
  })

  test("a file of the archive that is gone", async () => {
    const leaving = openFileStore(box.project, {
      source: systemSource,
      leaving: ({ mem }) => [...mem.values()],
    })
    await leaving.fold()
    await leaving.close()
    const [archived] = await readdir(hive("graph/archive"))
    await rm(hive(`graph/archive/${archived}`))
    await bothTell(
      `.hivemind/graph/archive/${archived}`,
      "→ Nothing to do: the next fold writes its mems into a new file, from the log.",
    )
  })
})

test.each([[["plans"]], [["status"]], [["log"]], [["sync"]]])(
  "hivemind %s in a .hivemind that may not be read does not say that there is none",
  async (args) => {
    // Loaded before: another user may not read the modules.
    await cli(box, args)
    const modes = { [hive("")]: 0o000 }
    const { code, stdout, stderr } = await asNobody(box.root, modes, () => cli(box, args))
    expect(code).not.toBe(0)
    expect(stdout + stderr).not.toMatch(/not set up/)
    if (args[0] !== "sync")
      expect([code, stderr]).toEqual([
        4,
        expect.stringMatching(/Could not read \.hivemind\/.*not allowed to read it/s),
      ])
  },
)

test("a path that is not there is an error, and no folder is made", async () => {
  const typo = join(box.root, "typo", "path")
  await expect(openHive(typo)).rejects.toMatchObject({ code: "no_project", evidence: typo })
  expect(existsSync(join(box.root, "typo"))).toBe(false)
})
