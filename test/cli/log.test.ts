import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { FORMAT } from "../../src/store/format.ts"
import { fullDiskFor } from "../support/full-disk.ts"
import { aMem, uuid } from "../support/records.ts"
import { everyFile, type Filled, fillProject, MEM, SESSION, withStore } from "./filled-project.ts"
import { cli, cliProcess, useSandbox } from "./harness.ts"

const box = useSandbox()
let filled: Filled
beforeEach(async () => {
  filled = await fillProject(box.project)
})

const BY = { tool: "hivemind_task.start", session: "ses_two", agent: "hive-executor" }
const startTask = () =>
  withStore(box.project, (store) =>
    store.write(BY, (tx) => {
      const at = new Date().toISOString()
      tx.set("task", uuid(4), { status: "active", started_at: at, updated_at: at })
    }),
  )

interface LoggedEntry {
  id: string
  short_id: string
  undone_by: string | null
  undoes?: string
  by: { tool: string }
  changes: string[]
}

async function logged(...args: string[]): Promise<LoggedEntry[]> {
  const { stdout } = await cli(box, ["log", "--json", ...args])
  return (JSON.parse(stdout) as { entries: LoggedEntry[] }).entries
}

describe("log", () => {
  test("says who changed what in plain words, newest first, and writes nothing", async () => {
    await startTask()
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await cli(box, ["log"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const [when, id] = stdout.split("  ")
    expect(when).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    expect(id).toMatch(/^[0-9a-f]{8}$/)
    expect(
      stdout
        .replace(/^\d.{18} {2}[0-9a-f]{8}/gm, "*")
        .trimEnd()
        .split("\n")
        .slice(0, 7),
    ).toEqual([
      "*  hivemind_task.start (hive-executor, ses_two)",
      '    task "Write tests": status planned → active',
      "*  hivemind_memory.save",
      '    + mem "Use jose"',
      "*  test",
      '    + task "Write tests"',
      '    + anchor "KEY_20"',
    ])
    expect(stdout).toContain(`read-head of session ${filled.stamp}: active task none → "Build login"`)
    expect(stdout).toContain(
      'read-head of the project: intent none → "Add a login page", intent about none → "Login", active plan none → "Login"',
    )
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("--limit takes the newest, --reverse turns them round, and what is left out is said", async () => {
    const { stdout } = await cli(box, ["log", "--limit", "2", "--reverse"])
    expect(stdout.indexOf("Write tests")).toBeLessThan(stdout.indexOf("Use jose"))
    expect(stdout).toMatch(/4 more; `--limit 6` shows them\.\n$/)
    expect(await logged("--limit", "6")).toHaveLength(6)
  })

  test("a record and --since choose entries; a time without any is no error", async () => {
    await startTask()
    expect((await logged(uuid(4))).map(({ by }) => by.tool)).toEqual(["hivemind_task.start", "test"])
    expect(await logged("--since", "1h")).toHaveLength(7)
    expect(await logged("--since", "2999-01-01")).toEqual([])
    expect(await cli(box, ["log", "--since", "2999-01-01"])).toMatchObject({
      code: 0,
      stdout: "No such entry.\n",
    })
    expect(await cli(box, ["log", "nothing"])).toMatchObject({ code: 1, stdout: "" })
  })

  test("of one record it shows the fields, what is around it and its links, then its entries", async () => {
    const { stdout } = await cli(box, ["log", filled.task.slice(0, 8)])
    expect(stdout).toMatch(new RegExp(`^task ${filled.task.slice(0, 8)}\n`))
    expect(stdout).toMatch(/\ntitle +Build login\n/)
    expect(stdout).toMatch(
      /\nabove +[0-9a-f]{8} plan "Login" \(active\)\n +[0-9a-f]{8} phase "Build" \(active\)\n/,
    )
    expect(stdout).toMatch(/\nbeside +[0-9a-f]{8} task "Write tests" \(planned\)\n/)
    expect(stdout).toMatch(/\n← mem\.origin task id +[0-9a-f]{8} mem "Use jose" \(active\)\n/)
    expect(stdout).toContain('+ task "Build login"')
    expect((await cli(box, ["log", MEM])).stdout).toMatch(
      /\n→ origin task id +[0-9a-f]{8} task "Build login"/,
    )
    expect((await cli(box, ["log", filled.stamp])).stdout).toMatch(/^session [0-9a-f]{8}\n.*ses_one/s)
    const { record } = JSON.parse((await cli(box, ["log", MEM, "--json"])).stdout)
    expect(record).toMatchObject({ kind: "mem", record: { content: "Use jose" } })
  })

  test.each([
    ["deadbeef", "There is no record deadbeef."],
    ["591231122025", "trace finds everything"],
  ])("a record %s that is not there is refused", async (id, words) => {
    expect(await cli(box, ["log", id])).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
  })

  test("of a session it lists what came of it, a line for each", async () => {
    await withStore(box.project, (store) =>
      store.append({ ...BY, session: SESSION }, (tx) => {
        tx.add("mem", aMem(30, { content: "Cents, not floats", kind: "decision" }))
        tx.add("mem", aMem(31, { content: "Tokens in cookies", kind: "fact" }))
      }),
    )
    const { stdout } = await cli(box, ["log", filled.stamp])
    expect(stdout).toMatch(
      /\nmems +\w{8} {2}decision {2}Cents, not floats\n +\w{8} {2}fact {2}Tokens in cookies\n/,
    )
  })

  test("--json gives the whole entries", async () => {
    const [last] = await logged("--limit", "1")
    expect(last).toMatchObject({
      id: expect.stringContaining(last?.short_id ?? "none"),
      at: expect.any(String),
      by: { tool: "hivemind_memory.save", session: null, agent: null },
      ops: [{ op: "add", kind: "mem", record: { id: MEM, content: "Use jose" } }],
      changes: ['+ mem "Use jose"'],
      undone_by: null,
    })
  })

  test("a record is called by the name it had at that time", async () => {
    const rename = (title: string) =>
      withStore(box.project, (store) => store.write(BY, (tx) => tx.set("task", uuid(4), { title })))
    await rename("Write unit tests")
    await rename("Write all tests")
    expect((await logged(uuid(4))).map(({ changes }) => changes[0])).toEqual([
      'task "Write unit tests": title "Write unit tests" → "Write all tests"',
      'task "Write tests": title "Write tests" → "Write unit tests"',
      '+ task "Write tests"',
    ])
  })

  test("an entry of many changes is cut for people, not for programs", async () => {
    await withStore(box.project, (store) =>
      store.append(BY, (tx) => {
        for (let n = 0; n < 20; n++) tx.add("mem", aMem(100 + n, { content: `Mem ${n}` }))
      }),
    )
    const { stdout } = await cli(box, ["log", "--limit", "1"])
    expect(stdout).toContain('    + mem "Mem 11"\n    and 8 more (`--json` lists all)\n')
    expect((await logged("--limit", "1"))[0]?.changes).toHaveLength(20)
  })

  test("says so where nothing was ever written", async () => {
    await rm(join(box.project, ".hivemind/graph/log"), { recursive: true })
    expect(await cli(box, ["log"])).toMatchObject({ code: 0, stdout: "Nothing has been written yet.\n" })
  })

  test.each([
    ["--limit", "0"],
    ["--limit", "many"],
    ["--since", "later"],
  ])("%s %s is wrong usage", async (...args) => {
    const { code, stderr } = await cli(box, ["log", ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(args.join(" "))
  })
})

describe("undo", () => {
  const statusOf = (id: string) =>
    withStore(box.project, async (store) => store.read().state.task.get(id)?.status)

  test("takes an entry back by its short id, says what changed, and how to bring it back", async () => {
    await startTask()
    const [started] = await logged("--limit", "1")
    const { code, stdout } = await cli(box, ["undo", started?.short_id ?? "", "--yes"])
    const [undo, before] = await logged("--limit", "2")
    expect(code).toBe(0)
    expect(stdout.split("\n")).toEqual([
      `Took back ${started?.short_id}:`,
      '    task "Write tests": status active → planned',
      `\`hivemind undo ${undo?.short_id}\` brings it back.`,
      "",
    ])
    expect(await statusOf(uuid(4))).toBe("planned")
    expect(undo).toMatchObject({ undoes: started?.id, by: { tool: "hivemind undo" } })
    expect(before?.undone_by).toBe(undo?.short_id)
    expect((await cli(box, ["log"])).stdout).toContain(`[undone by ${undo?.short_id}]`)
  })

  test("an undo can be undone: then the entry counts again", async () => {
    await startTask()
    const [started] = await logged("--limit", "1")
    await cli(box, ["undo", started?.id ?? ""])
    const [undo] = await logged("--limit", "1")
    const { stdout } = await cli(box, ["undo", undo?.short_id ?? "", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      status: "success",
      undone: undo?.id,
      entry: { undoes: undo?.id },
      changes: ['task "Write tests": status planned → active'],
    })
    expect(await statusOf(uuid(4))).toBe("active")
    expect((await logged()).map(({ undone_by }) => undone_by !== null).slice(0, 3)).toEqual([
      false,
      true,
      false,
    ])
  })

  test("what later entries build on is refused, and so are unknown and missing entries", async () => {
    const [mem, , action] = await logged()
    await withStore(box.project, (store) => store.write(BY, (tx) => tx.set("mem", MEM, { tags: ["auth"] })))
    const refused = await cli(box, ["undo", mem?.id ?? "", "--json"])
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: "error", code: "conflict" })
    expect((await cli(box, ["undo", action?.id ?? ""])).code).toBe(1)

    const unknown = await cli(box, ["undo", "deadbeef"])
    expect(unknown).toMatchObject({ code: 1, stdout: "" })
    expect(unknown.stderr).toContain("There is no entry deadbeef.")
    expect(unknown.stderr).toContain("Take an id from `hivemind log`.")
    expect((await cli(box, ["undo"])).code).toBe(2)
  })

  test("files of a newer format are shown, with a word about it, and never written", async () => {
    const [last] = await logged("--limit", "1")
    await writeFile(join(box.project, ".hivemind/system/manifest.json"), '{"format": 99}')
    const before = await everyFile(box.project)
    const { code, stdout } = await cli(box, ["log"])
    expect(code).toBe(0)
    const note = `Note: These files were written by a newer HiveMind (format 99; this one knows ${FORMAT})`
    expect(stdout.startsWith(note)).toBe(true)
    expect(stdout).toContain("Use jose")
    const refused = await cliProcess(box, ["undo", last?.id ?? ""])
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain("Update hivemind-opencode")
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("a full disk is exit code 4, and nothing has changed", async () => {
    await withStore(box.project, (store) => store.fold())
    fullDiskFor(join(box.project, ".hivemind/graph/log/000002.jsonl"))
    const [last] = await logged("--limit", "1")
    const { code, stdout } = await cli(box, ["undo", last?.id ?? "", "--json"])
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ status: "error", code: "disk_full" })
    expect(await logged("--limit", "1")).toEqual([last])
  })
})
