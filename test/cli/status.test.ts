import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { readableStamp } from "../../src/shared/stamp.ts"
import { FORMAT } from "../../src/store/format.ts"
import { ensureSession } from "../../src/work/session/session.ts"
import { changeUnlogged, partFile } from "../support/parts.ts"
import { aCheckpoint, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { editHive, everyFile, type Filled, fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, cliProcess, useSandbox } from "./harness.ts"

const box = useSandbox()
let filled: Filled
beforeEach(async () => {
  filled = await fillProject(box.project)
})

const status = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout } = await cli(box, ["status", "--json", ...args])
  return { code, ...(JSON.parse(stdout) as Record<string, unknown>) }
}
const fold = () => withStore(box.project, (store) => store.fold())
const T_OLD = "2020-01-01T00:00:00.000Z"
const hive = (path: string) => join(box.project, ".hivemind", path)

describe("status", () => {
  beforeEach(() => writeFile(join(box.project, "opencode.json"), '{"plugin": ["hivemind-opencode"]}'))

  test("says where the project is, and writes nothing", async () => {
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await cli(box, ["status"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const shown = stdout
      .replace(/\d+ s ago/, "0 s ago")
      .replace(/\d+ days/, "0 days")
      .replaceAll(/ {2}[0-9a-f]{8}( |$)/gm, "  id$1")
      .replace(/ {2}\+\d+ days stale/, "")
    expect(shown).toBe(
      `HiveMind in ${box.project}

intent     Add a login page
plan       Login (active)
phase      Build (active)
task       Build login (active)
sessions   ${readableStamp(filled.stamp)}: Add a login page, 0 s ago
to refresh 00000000 anchor "KEY_20: value" stale for 0 days

[>] Login  id
└── [>] Build  id
    ├── [ ] Write tests  id
    └── [>] Build login  ◀ here  id

graph      1 plan (1 open), 2 tasks (1 planned, 1 active), 1 mem, 1 anchor, 1 session (1 open)
files      all in order
`,
    )
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("without a read-head, the open plans are there with their next tasks, the last worked first", async () => {
    await withStore(box.project, (store) =>
      store.write(by, (tx) => {
        tx.add("plan", aPlan(70, { title: "Older", created_at: T_OLD, updated_at: T_OLD }))
        for (const head of [...tx.all("trajectory")])
          tx.set("trajectory", head.id, { active_plan_id: null, active_phase_id: null, active_task_ids: [] })
      }),
    )
    const { stdout } = await cli(box, ["status"])
    expect(stdout).not.toContain("no plan yet")
    expect(stdout).toMatch(
      /plan +no current plan.*\nopen plans +\w{8} Login, 0 of 2 tasks done, last worked on .*\n +\w{8} Build login \(active\)\n/,
    )
    expect(stdout.indexOf("Login, 0 of")).toBeLessThan(stdout.indexOf("Older, 0 of"))
    expect((await status())["open_plans"]).toMatchObject([
      { title: "Login", next: [{ title: "Build login" }, { title: "Write tests" }] },
      { title: "Older", next: [] },
    ])
  })

  test("work without a plan is shown as what the user asked for, with files and checks, and not as a task", async () => {
    await withStore(box.project, async (store) => {
      await store.write(by, (tx) => {
        const caller = { session: "ses_quick", agent: null, tool: "test" }
        ensureSession(tx, caller, Date.now(), null)
        tx.register("ses_quick", "title", "Make the search faster")
        tx.add("plan", aPlan(71, { title: "Unplanned work", purpose: "unplanned" }))
        tx.add("phase", aPhase(72, 71, { inbox: true }))
        const inbox = { title: "Unplanned: perf.js", purpose: "unplanned", status: "active" } as const
        tx.add("task", aTask(73, 71, 72, { ...inbox, assigned_session_id: "ses_quick" }))
        tx.add("checkpoint", aCheckpoint(74, 73, { files: ["perf.js"] }))
        tx.add("checkpoint", aCheckpoint(75, 73, { files: [], command: "npm test", did: ["test"] }))
      })
    })
    const { stdout } = await cli(box, ["status"])
    // Bookkeeping is not counted as work.
    expect(stdout).toMatch(/graph +1 plan \(1 open\), 2 tasks \(1 planned, 1 active\),/)
    expect(stdout).toMatch(/unplanned +Make the search faster, .* ago\n +perf\.js; npm test passed\n/)
    for (const command of ["status", "plans", "tasks"]) {
      const shown = (await cli(box, [command])).stdout
      expect(shown).not.toMatch(/Unplanned/)
    }
  })

  test("--json has the same for programs", async () => {
    expect(await status()).toMatchObject({
      code: 0,
      status: "success",
      project: box.project,
      session: null,
      plan: { title: "Login", status: "active" },
      phase: { title: "Build" },
      tasks: [{ id: filled.task, title: "Build login", status: "active" }],
      tree: {
        level: "plan",
        title: "Login",
        tasks: 2,
        open: 2,
        isCursor: false,
        summary: null,
        children: [
          { title: "Build", children: [{ title: "Write tests" }, { title: "Build login", isCursor: true }] },
        ],
      },
      open_sessions: [{ stamp: filled.stamp, host_id: SESSION, intent: "Add a login page" }],
      counts: {
        plans: 1,
        open_plans: 1,
        tasks: { active: 1, planned: 1 },
        mems: { hot: 1, in_force: 1, archived: 0 },
        anchors: 1,
        sessions: 1,
        open_sessions: 1,
      },
      unfolded: { entries: 6, bytes: expect.any(Number) },
      format: { version: FORMAT, note: null },
      problems: [],
      set_aside: [],
    })
  })

  test("--session shows that session's own place and intent, by stamp, host id or id", async () => {
    const { stdout } = await cli(box, ["status", "--session", filled.stamp])
    expect(stdout).toContain(
      `session    of ${readableStamp(filled.stamp)} (active, plan_driven)\nintent     Add a login page\nplan `,
    )
    const { session } = await status("--session", SESSION)
    expect(session).toMatchObject({ stamp: filled.stamp })
    expect((await cli(box, ["status", "--session", (session as { id: string }).id])).code).toBe(0)
    expect((await cli(box, ["status", "--session", readableStamp(filled.stamp)])).stdout).toBe(stdout)
    expect((await cli(box, ["status", "--session", "nobody"])).code).toBe(1)
  })

  test("the tree is that of the plan at hand, on 80 columns, cut where it gets long", async () => {
    const place = await withStore(box.project, async (store) => store.read().state.task.get(filled.task))
    const { parent_plan_id = "", parent_phase_id = "" } = place ?? {}
    await withStore(box.project, (store) =>
      store.write(by, (tx) => {
        tx.add("plan", aPlan(60, { title: "Another plan" }))
        for (let n = 100; n < 150; n++)
          tx.add(
            "task",
            aTask(n, 0, 0, { parent_plan_id, parent_phase_id, title: `${"Long ".repeat(30)}${n}` }),
          )
      }),
    )
    const { stdout } = await cli(box, ["status"])
    const tree = stdout.split("\n\n")[2]?.split("\n") ?? []
    for (const line of tree) expect(line.length).toBeLessThanOrEqual(80)
    expect(tree.length).toBeLessThanOrEqual(31)
    expect(tree.at(-1)).toBe("    └── … 24 more tasks, 24 open")
    // Its tree is of the plan at hand alone; the other has a line.
    expect(tree.join()).not.toContain("Another plan")
    expect(stdout).toMatch(/^also open .*Another plan/m)
  })

  test("shows a session's signals, also those that the model is not told of", async () => {
    await withStore(box.project, (store) =>
      store.append(by, (tx) => {
        for (const [row, length] of [
          ["cancels", 3],
          ["reads", 70],
        ] as const) {
          tx.count(SESSION, row, length)
          tx.register(SESSION, `${row} before row`, 0)
        }
      }),
    )
    const { stdout } = await cli(box, ["status", "--session", SESSION])
    expect(stdout).toContain("cancels: The user stopped 3+ turns in a row.")
    expect(stdout).toContain("reads_without_write: 60+ reads in a turn, no write.")
  })

  test("works from a folder inside the project, and `--dir` may name one", async () => {
    await mkdir(join(box.project, "src"))
    expect((await cli(box, ["status"], join(box.project, "src"))).stdout).toContain(
      `HiveMind in ${box.project}\n`,
    )
    expect((await cli(box, ["status", "--dir", "src"])).code).toBe(0)
    expect((await cli(box, ["status", "--dir", box.project], box.root)).code).toBe(0)
  })

  test("names a damaged file, what becomes of it, and where a fold has set it aside", async () => {
    await fold()
    const mems = partFile(box.project, "mems")
    editHive(box.project, mems, (text) => text.replace('"content":"Use jose"', '"content":"Use jose'))
    const { code, stdout } = await cli(box, ["status"])
    expect(code).toBe(1)
    expect(stdout).toContain("files      1 part could not be used; the rest is in use\n")
    expect(stdout).toContain(`.hivemind/${mems}:2:`)
    expect(stdout).toContain(
      "the file was changed since HiveMind wrote it; its records are taken from the log",
    )
    expect(stdout).toContain("→ Nothing is lost: the log has its records")
    expect(stdout).toContain("1 mem,")
    expect((await status())["problems"]).toMatchObject([
      { level: "quarantined", file: mems, place: { line: 2 }, mend: expect.stringMatching(/^Nothing/) },
    ])
    await fold()
    const folded = await cli(box, ["status"])
    expect(folded.code).toBe(0)
    expect(folded.stdout).toMatch(
      /files {6}broken copies kept for you: graph\/parts\/mems[\w.-]+\.json\.broken-\d{12}\n/,
    )
  })

  test("a repaired chain, a lost parent and a deleted file each come with their own advice", async () => {
    await fold()
    await withStore(box.project, (store) =>
      store.append(by, (tx) => tx.add("checkpoint", aCheckpoint(30, 4))),
    )
    await fold()
    await changeUnlogged(box.project, "tasks", (text) =>
      text
        .split("\n")
        .filter((line) => !line.includes('"title":"Write tests"'))
        .join("\n")
        .replace("},\n]", "}\n]"),
    )
    await changeUnlogged(box.project, "mems", (text) => text.replaceAll(filled.task, uuid(77)))
    const anchors = partFile(box.project, "anchors")
    await rm(hive(anchors))
    const { code, stdout } = await cli(box, ["status"])
    expect(code).toBe(1)
    expect(stdout).toContain("checkpoint 00000000: task_id points at task")
    expect(stdout).toContain(`→ Bring back the record that it points at (\`hivemind log ${uuid(30)}\``)
    expect(stdout).toContain(`${anchors}: the file is gone; its records are taken from the log`)
    expect(stdout).toContain("→ Nothing to do: the next fold writes it again.")
    expect(stdout).toContain("which is not there; repaired")
    expect(stdout).toContain("→ Nothing to do: the next write puts the repair into the log.")
  })

  test("a graph that cannot be read at all does not pass for an empty one", async () => {
    await rm(hive("graph"), { recursive: true })
    await writeFile(hive("graph"), "a file in its place")
    const { code, stdout } = await cli(box, ["status"])
    expect(code).toBe(1)
    expect(stdout).toContain(".hivemind/graph/: cannot be read: ENOTDIR")
  })

  test("a newer format is reported as trouble: nothing can be written", async () => {
    await writeFile(hive("system/manifest.json"), '{"format": 99}')
    const { code, stdout } = await cliProcess(box, ["status"])
    expect(code).toBe(1)
    expect(stdout).toContain(
      `These files were written by a newer HiveMind (format 99; this one knows ${FORMAT}).`,
    )
    expect(stdout).toContain("Build login (active)")
    expect((await status())["format"]).toMatchObject({ version: 99, note: expect.any(String) })
  })

  test.skipIf(process.getuid?.() === 0)("reads a folder that it cannot write", async () => {
    for (const path of ["graph", "state", "sessions", "system", ""]) await chmod(hive(path), 0o500)
    const run = await cli(box, ["status"])
    for (const path of ["", "graph", "state", "sessions", "system"]) await chmod(hive(path), 0o700)
    expect(run.code).toBe(0)
  })
})

describe("outside a project", () => {
  test.each([
    ["status"],
    ["sessions", "--drift"],
    ["log"],
    ["undo", "abcd"],
    ["context", "pack"],
    ["doctor"],
  ])("%s exits with 3 and makes no .hivemind/", async (...args) => {
    await rm(join(box.project, ".hivemind"), { recursive: true })
    const { code, stderr } = await cli(box, args)
    expect(code).toBe(3)
    expect(stderr).toContain("Run `hivemind init`")
    expect(await readdir(box.project)).toEqual([])
    expect(existsSync(join(box.home, ".config"))).toBe(false)
  })
})
