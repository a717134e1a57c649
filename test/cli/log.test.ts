import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Transaction } from "../../src/graph/transaction.ts"
import { readableStamp } from "../../src/shared/stamp.ts"
import { FORMAT } from "../../src/store/format.ts"
import { fullDiskFor } from "../support/full-disk.ts"
import { git } from "../support/git-repo.ts"
import { aMem, uuid } from "../support/records.ts"
import { everyFile, fold, MEM, SESSION, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, cliProcess, shown } from "./harness.ts"

const box = useFilledProject()
const BY = { tool: "hivemind_task.start", session: "ses_two", agent: "hive-executor" }
const write = (change: (tx: Transaction) => void) =>
  withStore(box.project, (store) => store.write(BY, change))
const startTask = () =>
  write((tx) => {
    const at = new Date().toISOString()
    tx.set("task", uuid(4), { status: "active", started_at: at, updated_at: at })
  })

interface LoggedEntry {
  id: string
  short_id: string
  undone_by: string | null
  undoes?: string
  by: { tool: string }
  changes: string[]
}
const logged = async (args = ""): Promise<LoggedEntry[]> => (await cliJson(box, `log${args}`)).entries
const newest = async (): Promise<LoggedEntry> => (await logged(" --limit 1"))[0] as LoggedEntry

describe("log", () => {
  test("says who changed what in plain words, newest first, and writes nothing", async () => {
    await startTask()
    const before = await everyFile(box.project)
    const stdout = await shown(box, "log")
    const [when, id] = stdout.split("  ")
    expect(when).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    expect(id).toMatch(/^[0-9a-f]{8}$/)
    const lines = stdout.replace(/^\d.{18} {2}[0-9a-f]{8}/gm, "*").split("\n")
    expect(lines.slice(0, 7)).toEqual([
      "*  hivemind_task.start (hive-executor, ses_two)",
      '    task "Write tests": status planned → active',
      "*  hivemind_memory.save",
      '    + mem "Use jose"',
      "*  test",
      '    + task "Write tests"',
      '    + anchor "KEY_20"',
    ])
    expect(stdout).toContain(`read-head of session ${box.stamp}: active task none → "Build login"`)
    expect(stdout).toContain(
      'read-head of the project: intent none → "Add a login page", intent about none → "Login", active plan none → "Login"',
    )
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("--limit shows the newest entries, --reverse the oldest first, and the rest is counted", async () => {
    const stdout = await shown(box, "log --limit 2 --reverse")
    expect(stdout.indexOf("Write tests")).toBeLessThan(stdout.indexOf("Use jose"))
    expect(stdout).toMatch(/4 more; `--limit 6` shows them\.\n$/)
    expect(await logged(" --limit 6")).toHaveLength(6)
  })

  test("a record and --since choose entries; a time without any is no error", async () => {
    await startTask()
    expect((await logged(` ${uuid(4)}`)).map(({ by }) => by.tool)).toEqual(["hivemind_task.start", "test"])
    expect(await logged(" --since 1h")).toHaveLength(7)
    expect(await logged(" --since 2999-01-01")).toEqual([])
    expect(await shown(box, "log --since 2999-01-01")).toBe("No such entry.\n")
  })

  test("shows a record's fields, neighbours and links, then its entries", async () => {
    const short = box.task.slice(0, 8)
    const stdout = await shown(box, `log ${short}`)
    expect(stdout).toMatch(new RegExp(`^task ${short}\n`))
    expect(stdout).toMatch(/\ntitle +Build login\n/)
    expect(stdout).toMatch(
      /\nabove +[0-9a-f]{8} plan "Login" \(active\)\n +[0-9a-f]{8} phase "Build" \(active\)\n/,
    )
    expect(stdout).toMatch(/\nbeside +[0-9a-f]{8} task "Write tests" \(planned\)\n/)
    expect(stdout).toMatch(/\n← mem\.origin task id +[0-9a-f]{8} mem "Use jose" \(active\)\n/)
    expect(stdout).toContain('+ task "Build login"')
    expect(await shown(box, `log ${MEM}`)).toMatch(/\n→ origin task id +[0-9a-f]{8} task "Build login"/)
    expect(await shown(box, `log ${box.stamp}`)).toMatch(/^session [0-9a-f]{8}\n.*ses_one/s)
    const { record } = await cliJson(box, `log ${MEM}`)
    expect(record).toMatchObject({ kind: "mem", record: { content: "Use jose" } })
  })

  test.each([
    ["deadbeef", "There is no record deadbeef."],
    ["591231122025", "trace finds everything"],
  ])("refuses the unknown record %s", async (id, words) => {
    const refused = { code: 1, stdout: "", stderr: expect.stringContaining(words) }
    expect(await cli(box, `log ${id}`)).toEqual(refused)
  })

  test("lists the records that a session has made, one per line", async () => {
    await withStore(box.project, (store) =>
      store.append({ ...BY, session: SESSION }, (tx) => {
        tx.add("mem", aMem(30, { content: "Cents, not floats", kind: "decision" }))
        tx.add("mem", aMem(31, { content: "Tokens in cookies", kind: "fact" }))
      }),
    )
    expect(await shown(box, `log ${box.stamp}`)).toMatch(
      /\nmems +\w{8} {2}decision {2}Cents, not floats\n +\w{8} {2}fact {2}Tokens in cookies\n/,
    )
  })

  test("--json prints complete entries", async () => {
    const last = await newest()
    expect(last).toMatchObject({
      ...{ id: expect.stringContaining(last.short_id), at: expect.any(String) },
      by: { tool: "hivemind_memory.save", session: null, agent: null },
      ops: [{ op: "add", kind: "mem", record: { id: MEM, content: "Use jose" } }],
      ...{ changes: ['+ mem "Use jose"'], undone_by: null },
    })
  })

  test("a record is called by the name it had at that time", async () => {
    for (const title of ["Write unit tests", "Write all tests"])
      await write((tx) => tx.set("task", uuid(4), { title }))
    expect((await logged(` ${uuid(4)}`)).map(({ changes }) => changes[0])).toEqual([
      'task "Write unit tests": title "Write unit tests" → "Write all tests"',
      'task "Write tests": title "Write tests" → "Write unit tests"',
      '+ task "Write tests"',
    ])
  })

  test("an entry of many changes is cut for people, not for programs", async () => {
    await write((tx) => {
      for (let n = 0; n < 20; n++) tx.add("mem", aMem(100 + n, { content: `Mem ${n}` }))
    })
    const stdout = await shown(box, "log --limit 1")
    expect(stdout).toContain('    + mem "Mem 11"\n    and 8 more (`--json` lists all)\n')
    expect((await newest()).changes).toHaveLength(20)
  })

  test("says so if nothing was ever written", async () => {
    await rm(join(box.project, ".hivemind/graph/log"), { recursive: true })
    expect(await shown(box, "log")).toBe("Nothing has been written yet.\n")
  })

  test.each(["--limit 0", "--limit many", "--since later"])("%s is wrong usage", async (args) => {
    const { code, stderr } = await cli(box, `log ${args}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining(args)])
  })
})

describe("undo", () => {
  const statusOfTask = () =>
    withStore(box.project, async (store) => store.read().state.task.get(uuid(4))?.status)

  test("takes an entry back by its short id, says what changed, and how to bring it back", async () => {
    await startTask()
    const started = await newest()
    const stdout = await shown(box, `undo ${started.short_id} --yes`)
    const [undo, before] = await logged(" --limit 2")
    expect(stdout.split("\n")).toEqual([
      `Took back ${started.short_id}:`,
      '    task "Write tests": status active → planned',
      `\`hivemind undo ${undo?.short_id}\` brings it back.`,
      "",
    ])
    expect(await statusOfTask()).toBe("planned")
    expect(undo).toMatchObject({ undoes: started.id, by: { tool: "hivemind undo" } })
    expect(before?.undone_by).toBe(undo?.short_id)
    expect(await shown(box, "log")).toContain(`[undone by ${undo?.short_id}]`)
  })

  test("an undo can be undone: then the entry counts again", async () => {
    await startTask()
    await cli(box, `undo ${(await newest()).id}`)
    const undo = await newest()
    expect(await cliJson(box, `undo ${undo.short_id}`)).toMatchObject({
      ...{ status: "success", undone: undo.id, entry: { undoes: undo.id } },
      changes: ['task "Write tests": status planned → active'],
    })
    expect(await statusOfTask()).toBe("active")
    const undone = (await logged()).map(({ undone_by }) => undone_by !== null)
    expect(undone.slice(0, 3)).toEqual([false, true, false])
  })

  test("refuses to undo an entry that later ones depend on, and unknown or missing entries", async () => {
    const [mem, , action] = await logged()
    await write((tx) => tx.set("mem", MEM, { tags: ["auth"] }))
    expect(await cliJson(box, `undo ${mem?.id}`)).toMatchObject({ status: "error", code: "conflict" })
    expect((await cli(box, `undo ${action?.id}`)).code).toBe(1)
    const unknown = await cli(box, "undo deadbeef")
    expect(unknown).toMatchObject({ code: 1, stdout: "" })
    expect(unknown.stderr).toContain("There is no entry deadbeef.")
    expect(unknown.stderr).toContain("Take an id from `hivemind log`.")
    expect((await cli(box, "undo")).code).toBe(2)
  })

  test("files of a newer format are shown with a warning, and never written", async () => {
    const last = await newest()
    await writeFile(join(box.project, ".hivemind/system/manifest.json"), '{"format": 99}')
    const before = await everyFile(box.project)
    const stdout = await shown(box, "log")
    const note = `Note: These files were written by a newer HiveMind (format 99; this one knows ${FORMAT})`
    expect(stdout.startsWith(note)).toBe(true)
    expect(stdout).toContain("Use jose")
    const refused = await cliProcess(box, `undo ${last.id}`)
    const words = expect.stringContaining("Update hivemind-opencode")
    expect(refused).toMatchObject({ code: 5, stderr: words })
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("a full disk is exit code 4, and nothing has changed", async () => {
    await fold(box.project)
    fullDiskFor(join(box.project, ".hivemind/graph/log/000002.jsonl"))
    const last = await newest()
    const { code, stdout } = await cli(box, `undo ${last.id} --json`)
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { status: "error", code: "disk_full" }])
    expect(await newest()).toEqual(last)
  })
})

describe("log trace", () => {
  test("prints the chain of a stamp, one line for each hit, and writes nothing", async () => {
    git(box.project, "init", "-q")
    git(box.project, "commit", "-q", "--allow-empty", "-m", `[${box.stamp}] \u001b[2Jlogin`)
    const before = await everyFile(box.project)
    const stdout = await shown(box, `log trace ${box.stamp}`)
    const lines = stdout.trimEnd().split("\n")
    for (const line of lines)
      expect(line).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} {2}(graph|log|git) +\S/)
    expect(stdout).toContain('"Add a login page" (active)')
    expect(stdout).toContain("a session began: Add a login page")
    const commit = lines.find((line) => line.includes("  git  ")) ?? ""
    expect(commit).toMatch(/ {2}commit [0-9a-f]{12} /)
    expect(commit.endsWith(`[${box.stamp}] [2Jlogin`)).toBe(true)
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("--json has the hits, how many were left out, and the sources that could not be read", async () => {
    const { hits, ...rest } = await cliJson(box, ["log", "trace", readableStamp(box.stamp)])
    const notes = [expect.stringContaining("git")]
    expect(rest).toMatchObject({ status: "success", stamp: box.stamp, left_out: {}, notes })
    expect(hits[0]).toMatchObject({ source: "graph", at: expect.any(String), where: expect.any(String) })
  })

  test("an unused stamp exits with 1, and text that is no stamp is wrong usage", async () => {
    const { code, stdout } = await cli(box, "log trace 000001011999")
    const nothing = expect.stringContaining("Nothing has the stamp 000001011999.")
    expect([code, stdout]).toEqual([1, nothing])
    const wrong = await cli(box, "log trace yesterday")
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"yesterday" is not a stamp.')])
    expect((await cli(box, "log trace")).code).toBe(2)
  })
})
