// The real plugin on a plan of very many tasks: what its hooks and tools cost, and how long each holds the event loop.
// Prints one line of JSON.
// usage: hold-probe.mjs <project> <task>
import { openHiveIn } from "../../build/hive/open.js"
import plugin from "../../dist/server/index.js"
import { watchBlocks } from "../block-watch.mjs"

const [project, task] = process.argv.slice(2)
const sessionID = `ses_${process.pid}`
const client = {
  config: { providers: async () => ({ data: { providers: [] } }) },
  session: { get: async () => ({ data: {} }), messages: async () => ({ data: [] }) },
  tui: { showToast: async () => ({ data: true }) },
}
const { found, timed, stop } = watchBlocks()
const hooks = await plugin.server({ directory: project, worktree: project, client }, undefined)
const messages = []
let calls = 0

await timed("first turn", async () => {
  await hooks.event({ event: { type: "session.created", properties: { info: { id: sessionID } } } })
  await turn()
})
await timed("start", () => tool("hivemind_task", { action: "start", task_id: task }))
for (let n = 0; n < 3; n++) {
  await timed("pack", turn)
  await timed("gate", () =>
    hooks["tool.execute.before"](
      { tool: "write", sessionID, callID: `call_${++calls}` },
      { args: { filePath: `${project}/a.ts`, content: "" } },
    ),
  )
  await timed("after a call", () =>
    hooks["tool.execute.after"](
      { tool: "write", sessionID, callID: `call_${calls}` },
      { title: "", output: "done", metadata: {} },
    ),
  )
  await timed("complete", () => tool("hivemind_task", { action: "complete", evidence: "it works" }))
  await timed("status of the plan", () => tool("hivemind_plan", { action: "status" }))
  await timed("status of the session", () => tool("hivemind_session", { action: "status" }))
  await timed("tree", () => tool("hivemind_hierarchy", { action: "status" }))
  await timed("scan", () => tool("hivemind_inspect", { action: "scan" }))
  if (n < 2) await tool("hivemind_task", { action: "start", task_id: await nextTask() })
}
await timed("turn end", async () => {
  await hooks.event({ event: { type: "session.idle", properties: { sessionID } } })
  // What is set off runs beside everything else.
  await new Promise((resolve) => setTimeout(resolve, 1500))
})
const ordered = []
for (let n = 0; n < 20; n++) {
  const started = performance.now()
  await tool("hivemind_session", { action: "start", intent: `Step ${n}` })
  ordered.push(performance.now() - started)
}
stop()
await hooks.dispose()
console.log(JSON.stringify({ ...found, ordered }))
process.exit(0)

async function turn() {
  const id = `msg_${messages.length}`
  const info = {
    id,
    sessionID,
    role: "user",
    agent: "build",
    model: { providerID: "p", modelID: "m" },
    time: { created: Date.now() },
  }
  const text = "Please go on with the next step of the plan and tell me what you found on the way."
  const parts = [{ id: `prt_${messages.length}`, sessionID, messageID: id, type: "text", text }]
  messages.push({ info, parts })
  await hooks["chat.message"]({ sessionID }, { message: info, parts })
  const output = { messages: [...messages] }
  await hooks["experimental.chat.messages.transform"]({}, output)
  const isTold = output.messages.some(({ parts: all }) =>
    all.some((part) => part.text.startsWith("<hivemind_")),
  )
  if (!isTold) throw new Error("nothing was put before the model")
}

async function tool(name, args) {
  const context = {
    sessionID,
    agent: "build",
    callID: `call_${++calls}`,
    abort: new AbortController().signal,
  }
  const output = await hooks.tool[name].execute(args, context)
  if (String(output).includes('"error"')) throw new Error(String(output))
  return output
}

async function nextTask() {
  const { hive } = await openHiveIn(project, {
    source: { now: Date.now, newId: () => crypto.randomUUID() },
    userConfig: null,
    options: { name: "bench", value: {} },
  })
  const [next] = hive.store.read().state.task.by("status", "planned")
  const id = [...hive.store.read().state.task.by("status", "planned")].find(
    (each) => each.depends_on.length === 0,
  )?.id
  await hive.store.close()
  return id ?? next.id
}
