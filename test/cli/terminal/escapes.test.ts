import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { COMMANDS } from "../../../src/cli/commands.ts"
import { runCli } from "../../../src/cli/run.ts"
import { frozenInjections } from "../../../src/context/inject/frozen-injections.ts"
import { type AnyRecord, type Kind, kinds, recordSchemas } from "../../../src/schemas/records.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { injectedTextFile } from "../../../src/store/files/log-file.ts"
import { usageFile } from "../../../src/store/files/usage-file.ts"
import { gitRepo } from "../../support/git-repo.ts"
import {
  aCheckpoint,
  aConflict,
  aDelegation,
  aMem,
  anAnchor,
  anArtifact,
  aPhase,
  aPlan,
  aTask,
  uuid,
} from "../../support/records.ts"
import { aroundCommand } from "../../support/snapshots.ts"
import { ANSWER, refuse, withStore } from "../filled-project.ts"
import { useSandbox } from "../harness.ts"

const box = useSandbox()

// A window title, erasing, a colour, C1 controls, both ways to turn the direction, invisible letters, a carriage return.
const HOSTILE =
  "a\u001b]0;t\u0007b\u001b[2Jc\u001b[31md\u009b2Je\u0085f\u202eg\u2066h\u200bi\u{e0041}j\rk\u007fl"
const AT = "2026-02-11T14:30:00.000Z"
const SESSION = HOSTILE
const STAMP = "301411022026"

it("no control character of any record reaches the terminal, from any command", async () => {
  await fillWithHostileText()
  const found: string[] = []
  for (const args of CALLS) {
    const { stdout, stderr, code } = await onTerminal(args)
    expect(`${stdout}${stderr}`, `${args.join(" ")} printed nothing (exit ${code})`).not.toBe("")
    const bad = `${stdout}${stderr}`.replaceAll(OWN, "").match(CONTROL) ?? []
    const points = Array.from(new Set(bad), (each) => `U+${each.codePointAt(0)?.toString(16)}`)
    if (points.length > 0) found.push(`${args.join(" ")}: ${points.join(" ")}`)
  }
  expect(found).toEqual([])
  // The words around them are there: the commands have shown the records.
  expect((await onTerminal(["log"])).stdout).toContain("a]0;tb[2Jc[31md2Je")
  expect((await onTerminal(["memory", uuid(10)])).stdout).toMatch(/session id.*a\]0;tb/)
})

it("as JSON all of them are escaped, and the document says what the records say", async () => {
  await fillWithHostileText()
  for (const args of CALLS) {
    const { stdout } = await onTerminal([...args, "--json"])
    expect(stdout.match(CONTROL), args.join(" ")).toBeNull()
    expect(() => JSON.parse(stdout), args.join(" ")).not.toThrow()
  }
  const { stdout } = await onTerminal(["memory", uuid(10), "--json"])
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1))
})

it("the calls above are of every command that prints records", () => {
  const called = new Set(CALLS.flatMap(([name, view]) => [name, `${name} ${view}`]))
  const viewsOf = (name: string, views: object) => Object.keys(views).map((view) => `${name} ${view}`)
  const all = COMMANDS.flatMap(({ name, views }) => [name, ...viewsOf(name, views)])
  // A page for a browser, protocols and scripts for programs, and two that only work on settings and files of other tools.
  const others = ["completion", "dashboard", "hook", "init", "mcp", "uninstall"]
  expect(all.filter((name) => !called.has(name)).sort()).toEqual(others)
})

const CALLS = [
  ...[`remember ${HOSTILE}`, "config", "status", "rules", "cost", "recall words", "queue", "report"],
  ...["plans", `plans ${uuid(1)}`, "tasks", `tasks ${uuid(3)}`, "doctor --no-start"],
  ...["memory", `memory ${uuid(10)}`, `memory --find ${HOSTILE}`, "memory anchors"],
  ...["sessions", `sessions ${STAMP}`, `sessions ${STAMP} --drift`, `sessions ${STAMP} --bisect`],
  ...[`context --session ${STAMP}`, `context replay 1 --session ${STAMP}`, "context pack --explain"],
  ...["log", "log --reverse", `log ${uuid(3)}`, `log ${uuid(10)}`, `log trace ${STAMP}`, "log refusals"],
  ...[`undo ${HOSTILE}`, "restore", "restore S1 --dry-run", `restore ${HOSTILE}`],
  ...[`export --session ${STAMP}`, "export --list", "import migrate", "import sessions --dry-run"],
  ...["scan", "scan codemap", "scan codemap todo", "scan onboard --dry-run"],
  ...["sync --dry-run", "sync", "sync conflicts", "sync conflicts --all"],
].map((line) => line.split(" "))

async function onTerminal(args: string[]) {
  let [stdout, stderr] = ["", ""]
  const code = await runCli(args, {
    cwd: box.project,
    home: box.home,
    env: {},
    stdin: {},
    ancestors: () => [],
    stdout: { isTTY: true, write: (text) => (stdout += text) },
    stderr: { isTTY: true, write: (text) => (stderr += text) },
  })
  return { code, stdout, stderr }
}

/** Every kind of record and every file that a command prints, with that text in each field that takes any. */
async function fillWithHostileText(): Promise<void> {
  gitRepo(box.project)
  writeFileSync(join(box.project, `${HOSTILE}.ts`), `// TODO: ${HOSTILE}\nexport const a = 1\n`)
  const call = { session: SESSION, tool: HOSTILE, command: HOSTILE, task: uuid(3) }
  await aroundCommand(box.project, 'for file in *.ts; do echo >> "$file"; done', call)
  const author = { tool: HOSTILE, session: SESSION, agent: HOSTILE }
  await withStore(box.project, async (store) => {
    await store.write(author, (tx) => {
      tx.putBack()
      for (const kind of kinds)
        if (kind !== "metrics") for (const record of RECORDS[kind] ?? []) tx.add(kind, hostile(kind, record))
      tx.add("task", aTask(5, 1, 2))
      tx.recordCompaction(SESSION)
      tx.register(SESSION, "words", HOSTILE)
    })
    await store.write(author, (tx) => tx.set("mem", uuid(10), { content: `${HOSTILE} again` }))
  })
  const paths = hivePaths(box.project)
  const text = { what: HOSTILE, why: HOSTILE, use_instead: HOSTILE, evidence: HOSTILE, tool: HOSTILE }
  const refused = { ...text, at: AT, session: SESSION, agent: HOSTILE, code: HOSTILE, files: [HOSTILE] }
  await refuse(box.project, { ...refused, command: HOSTILE, task: HOSTILE })
  const told = injectedTextFile(paths)
  told.add({ at: AT, session: SESSION, kind: "note", tool: HOSTILE, text: HOSTILE })
  await told.idle()
  const about = { task: uuid(3), plan: uuid(1), session: SESSION, agent: HOSTILE, model: HOSTILE }
  usageFile(paths).add({ ...ANSWER, ...about, at: AT, message: HOSTILE })
  const onError = (_: unknown, error: unknown) => {
    throw error
  }
  frozenInjections(paths, onError).add(SESSION, [
    {
      ...{ message: HOSTILE, at: AT, parts: [HOSTILE], reason: HOSTILE, kind: "keyframe" },
      ...{ tokens: 1, repeated: 0, budget: 9, score: 0, items: [], gone: [], dropped: [], pruned: [] },
    },
  ])
  const command = { id: systemSource.newId(), at: AT, from: HOSTILE.slice(0, 90), command: { do: HOSTILE } }
  writeFileSync(paths.queue, `${JSON.stringify(command)}\n`)
}

const MADE = { created_at: AT, updated_at: AT, stamp: STAMP }
const RECORDS: Partial<Record<Kind, readonly object[]>> = {
  session: [
    {
      ...{ ...MADE, id: uuid(30), host_id: SESSION, parent_host_id: null, agent: null, mode: "plan_driven" },
      ...{ intent: null, status: "active", summary: null, closed_at: null },
    },
  ],
  trajectory: [
    {
      ...{ ...MADE, id: uuid(31), session_id: uuid(30), intent: null, intent_shift_at: null },
      ...{ active_plan_id: uuid(1), active_phase_id: uuid(2), active_task_ids: [uuid(3)] },
    },
  ],
  plan: [aPlan(1)],
  phase: [aPhase(2, 1)],
  task: [aTask(3, 1, 2, { status: "active" }), aTask(4, 1, 2, { status: "failed" })],
  mem: [aMem(10), aMem(11, { kind: "decision", resolved: false }), aMem(12, { status: "invalidated" })],
  anchor: [anAnchor(20)],
  artifact: [anArtifact("a")],
  checkpoint: [aCheckpoint(40, 3)],
  delegation: [aDelegation(50, 3)],
  conflict: [aConflict(60)],
}

/** The record with hostile text wherever its schema takes any text; only ids, times, stamps and fixed words stay. */
function hostile<K extends Kind>(kind: K, record: object) {
  const side = { fields: { title: HOSTILE, [HOSTILE]: HOSTILE }, writer: HOSTILE }
  const values: unknown[] = [
    HOSTILE,
    [HOSTILE],
    [{ at: AT, kind: "decision", text: HOSTILE, about: null }],
    [{ heading: HOSTILE, hash: HOSTILE }],
    { after_task_id: uuid(5), reason: HOSTILE },
    { tree: HOSTILE, exit: 1, output: HOSTILE, changed: [HOSTILE] },
    side,
  ]
  const filled: Record<string, unknown> = { ...record }
  for (const [name, schema] of Object.entries(recordSchemas[kind].shape)) {
    // A conflict names the kind of its record, and a continued session another one.
    if (["kind", "continues", "continued_in", "parent_host_id"].includes(name)) continue
    const value = values.find((each) => schema.safeParse(each).success)
    if (value !== undefined) filled[name] = value
  }
  return filled as Extract<AnyRecord, object> as never
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours and the erased line that we print ourselves.
const OWN = /\u001b\[(?:[1-9]|2[2-9]|3[1-9]|9\d)m|\r\u001b\[K/g
const CONTROL = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu
