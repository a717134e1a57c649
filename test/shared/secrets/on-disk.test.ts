import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { writeReport } from "../../../src/context/compaction/researcher.ts"
import { frozenInjections } from "../../../src/context/inject/frozen-injections.ts"
import { recordTurningPoints } from "../../../src/context/turning-points/turning-points.ts"
import { codeMapOf } from "../../../src/project/codemap/code-map.ts"
import { drain, enqueue } from "../../../src/queue/queue.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { injectedTextFile, openLog, refusalFile } from "../../../src/store/files/log-file.ts"
import { usageFile } from "../../../src/store/files/usage-file.ts"
import { exportSession } from "../../../src/views/export/export-session.ts"
import { sessionFiles } from "../../../src/views/session-file/update.ts"
import { bindSubagent, recordReport } from "../../../src/work/delegation/assign.ts"
import { recordCheckpoint, recordCommand } from "../../../src/work/task/checkpoint.ts"
import { defined } from "../../support/defined.ts"
import { sample } from "../../support/effort.ts"
import { fileHive } from "../../support/file-hive.ts"
import { writeFiles } from "../../support/git-repo.ts"
import { beginWork, idle, SESSION } from "../../support/hive-at-work.ts"
import { aMem, anAnchor, anArtifact, aUsage } from "../../support/records.ts"
import { callTool, planned } from "../../tools/call-tool.ts"
import { PLANTED, type Planted, random } from "./planted.ts"

// A sample is enough, because mask.test.ts has every kind. This test covers every way to write to disk.
const SECRETS = sample(PLANTED, 10)
const AT = "2026-02-11T14:30:00.000Z"
const ONE_LINE = SECRETS.filter(({ text }) => !text.includes("\n") && text.length <= 100)
const caller = { session: SESSION, agent: "build", tool: "test" }

type Write = (hive: Awaited<ReturnType<typeof fileHive>>, planted: Planted, n: number) => unknown

function leaksNothing(name: string, write: Write, planting = SECRETS): void {
  it(name, async () => {
    expect(await leaks(write, planting)).toEqual({ leaked: [], isMasked: true })
  })
}

async function leaks(write: Write, planting: readonly Planted[]) {
  const hive = await fileHive()
  await beginWork(hive)
  for (const [n, planted] of planting.entries()) await write(hive, planted, n)
  await sessionFiles(() => {}).update(hive, SESSION)
  await hive.store.fold()
  const { root } = hivePaths(hive.home)
  const texts = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
  const found = planting.filter(({ secret }) => {
    const pieces = secret.split("\n").map((piece) => piece.slice(0, 60))
    return texts.some((text) => pieces.some((piece) => text.includes(piece)))
  })
  const masks = texts.join("\n").match(/\[masked: /g)?.length ?? 0
  return { leaked: found.map(({ kind }) => kind), isMasked: masks >= planting.length }
}

leaksNothing(
  "no secret of a mem reaches the disk: content, tags, evidence, reason, changed by a tool",
  async (hive, { text }) => {
    const mem = { content: text, tags: [text.slice(0, 60)], kind: "fact" }
    const { entity_id } = await callTool(hive, "memory save", mem)
    await callTool(hive, "memory flag", { mem_id: entity_id, reason: text })
  },
)

leaksNothing("nor that of an anchor, or of a note on a session", async (hive, { text }, n) => {
  await hive.store.append(caller, (tx) => tx.register(SESSION, `note ${n}`, text))
  await callTool(hive, "anchor save", { key: `key ${n}`, value: text })
  await callTool(hive, "anchor update", { key: `key ${n}`, value: `now ${text}` })
})

leaksNothing(
  "nor that of a plan, its tasks, an intent, evidence and the reason of a failure",
  async (hive, { text }) => {
    const words = text.slice(0, 450)
    await callTool(hive, "session start", { intent: words })
    const plan = await callTool(hive, "plan create", { title: words, acceptance: [words] })
    const tasks = [{ title: "t", expected_output: words, verify: text }]
    const made = await callTool(hive, "plan plan_tasks", { plan_id: plan.entity_id, tasks })
    const task_id = made.entity_id
    await callTool(hive, "task start", { task_id })
    await callTool(hive, "task fail", { task_id, reason: words })
  },
)

leaksNothing(
  "nor that of a command and its summary, also where the cut goes through the secret",
  async (hive, { text }, n) => {
    const task = defined([...hive.store.read().state.task.values()][0])
    const command = `${"echo ".repeat(n)}${text}`
    const summary = `test: ${"x ".repeat(90 - n)}${text}`
    const outcome = { tool: "bash", summary, files: [], command, did: ["test" as const], ok: false }
    await recordCheckpoint(hive, caller, task, outcome)
    await recordCommand(hive, caller, "deploy", text)
  },
)

leaksNothing(
  "nor that of a subagent's report, a compaction's report and turning points",
  async (hive, { text }, n) => {
    const task = defined([...hive.store.read().state.task.values()][0])
    await callTool(hive, "delegate assign", { task_id: task.id, to: "hive-executor" })
    const child = { ...caller, session: `ses_child_${n}`, agent: "hive-executor" }
    await bindSubagent(hive, child, caller, task.title)
    await recordReport(hive, caller, child.session, text)
    await callTool(hive, "memory save", { content: text, kind: "decision" })
    await recordTurningPoints(hive, caller)
    await hive.store.append({ ...caller }, (tx) => tx.recordCompaction(SESSION))
    await writeReport(hive, caller)
  },
)

leaksNothing("nor that of the model's last message, which an export keeps", async (hive, { text }, n) => {
  await callTool(hive, "anchor save", { key: `k${n}`, value: "v" })
  expect(await idle(hive, text)).toBeDefined()
  await exportSession(hive, caller, SESSION)
})

leaksNothing("nor that of the log file, with its details and errors", async (hive, { text }) => {
  const { log, idle } = openLog(hivePaths(hive.home), hive.source.now, () => "debug")
  log("info", `could not run ${text}`, { output: `line\n${text}\n` })
  log("error", "failed", new Error(text))
  await idle()
})

leaksNothing(
  "nor that of what was injected, which is the same bytes in the process and in the file",
  async (hive, { text }, n) => {
    const open = () =>
      frozenInjections(hivePaths(hive.home), (_, error) => {
        throw error
      })
    const said = { message: `m${n}`, at: AT, parts: [text], reason: text, kind: "keyframe" as const }
    const none = { items: [], gone: [], dropped: [], pruned: [], score: 0, repeated: 0 }
    const frozen = open()
    frozen.add(SESSION, [{ ...said, ...none, tokens: 1, budget: 9 }])
    expect(open().of(SESSION).get(`m${n}`)).toEqual(frozen.of(SESSION).get(`m${n}`))
  },
)

leaksNothing("nor that of the files that a task locks", async (hive, { text }) => {
  const { reply } = await planned(hive, [{ title: "t", file_locks: [text, `src/${text}`] }])
  expect(reply.status).toBe("success")
})

leaksNothing(
  "nor that of a caller's name",
  async (hive, { text }, n) => {
    const by = { ...caller, agent: text, tool: text.slice(0, 80) === text ? text : caller.tool }
    await hive.store.append(by, (tx) => tx.add("mem", aMem(n + 100)))
    await hive.store.write(by, (tx) => tx.add("anchor", anAnchor(n + 200)))
  },
  ONE_LINE,
)

leaksNothing("nor that of a refused call: its files, its command, who called", async (hive, { text }) => {
  const file = refusalFile(hivePaths(hive.home))
  const words = { what: text, why: text, use_instead: text, evidence: text, code: "scope" }
  const files = [text, `/work/${text}`, `src/${"x".repeat(450)}/${text}`]
  const call = { at: AT, session: SESSION, agent: text, tool: text, files, command: text, task: null }
  file.add({ ...call, ...words })
  await file.idle()
})

leaksNothing(
  "nor that of what a model was told, of its usage, and of the queue with what became of a command",
  async (hive, { text }) => {
    const paths = hivePaths(hive.home)
    const told = injectedTextFile(paths)
    told.add({ at: AT, session: SESSION, kind: "reply", tool: text, text })
    await told.idle()
    usageFile(paths).add(aUsage("m", { agent: text, model: text }))
    await enqueue(hive, text.slice(0, 100), { do: "save_mem", content: text, tags: [text.slice(0, 60)] })
    await enqueue(hive, "dashboard", { do: "flag_mem", mem: "00000000", reason: text.slice(0, 500) })
    await drain(hive)
  },
  ONE_LINE,
)

leaksNothing(
  "nor that of comments and TODOs in the code map, also where it is cut",
  async (hive, { text }, n) => {
    const comment = (mark: string) => text.split("\n").join(`\n${mark} `)
    const code = `// TODO: ${comment("//")}\nexport const a${n} = 1 // FIXME ${"x ".repeat(90)}${comment("//")}\n`
    const python = `# TODO(ann) ${comment("#")}\nx = ${JSON.stringify(text)} # HACK: a\n`
    writeFiles(hive.dir, { [`a${n}.ts`]: code, [`b${n}.py`]: python })
    if (n === SECRETS.length - 1) await codeMapOf(hive).scan()
  },
)

it("stores session ids, hashes and paths as they are, even if they look like tokens", async () => {
  const hive = await fileHive()
  const session = `ghp_${random("session", 36)}`
  const sha = createHash("sha256").update("x").digest("hex")
  const paths = [
    "src/a b/ü.ts",
    "/home/ann/.ssh/id_rsa",
    "C:/work/a.ts:12@0123",
    "node_modules/@a/b/c.js",
    sha,
  ]
  const evidence = paths.map((path) => `${path}:7@${sha.slice(0, 16)}`)
  const branch = `feature/${sha.slice(0, 7)}-token-refresh`
  const mem = aMem(100, { session_id: session, evidence, branch })
  const artifacts = paths.map((path, n) => anArtifact(path, { hash: `${random(`hash ${n}`, 86)}==` }))
  await hive.store.append({ tool: "hivemind_memory.save", session, agent: "build" }, (tx) => {
    tx.add("mem", mem)
    for (const record of artifacts) tx.add("artifact", record)
  })
  const { state } = hive.store.read()
  expect(state.mem.get(mem.id)).toEqual(mem)
  for (const record of artifacts) expect(state.artifact.get(record.id)).toEqual(record)
  expect((await hive.store.log()).at(-1)?.by.session).toBe(session)
})
