// Times the hook that runs before every model step, on a graph of some size. Prints one line of JSON.
// usage: inject-probe.mjs <project> <turns>

import { createInjector } from "../../build/context/inject/injector.js"
import { openHiveIn } from "../../build/hive/open.js"
import { injectInto } from "../../build/hosts/opencode/messages.js"
import { evidenceCheck } from "../../build/knowledge/memory/evidence.js"
import { saveMem } from "../../build/knowledge/memory/save.js"
import { fileStatusLookup } from "../../build/project/document/file-status.js"
import { hivePaths } from "../../build/store/files/layout.js"
import { updateSession } from "../../build/work/focus/update.js"
import { threadTimes } from "../block-watch.mjs"

const TEXT = "Please go on with the next step of the plan and tell me what you found on the way."
const [project, turns] = process.argv.slice(2)
const session = "ses_bench"
const caller = { session, agent: "build", tool: "bench" }
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
const injector = createInjector({
  paths: hivePaths(project),
  evidence: evidenceCheck(project),
  files: fileStatusLookup(project),
  more: "more",
  onError: (what, error) => {
    throw new Error(what, { cause: error })
  },
})
const hook = injectInto(
  {
    async inject(of, sent, model) {
      const recalled = await injector.recalledFor(hive, of, sent)
      return injector.inject(hive, of, sent, model, recalled)
    },
  },
  new Set(),
  () => 200_000,
)

await updateSession(hive, caller, { level: "action", content: "The task at hand" })
const messages = []
const fresh = []
const replayed = []
for (let turn = 0; turn < Number(turns); turn++) {
  await saveMem(hive, caller, { content: `Finding ${turn}: the cause is in module ${turn}` })
  messages.push(message("user", turn, 0))
  // The host hands a message over before it asks for the first step.
  await injector.beginRecall(hive, session, TEXT)
  for (let step = 0; step < 3; step++) {
    const sent = [...messages]
    const before = threadTimes()
    const started = performance.now()
    await hook(sent)
    const took = performance.now() - started - (threadTimes().waited - before.waited)
    // The first turn also loads the graph and warms the code up.
    if (turn > 4) (step === 0 ? fresh : replayed).push(took)
    messages.push(message("assistant", turn, step))
  }
}
await hive.store.close()
console.log(JSON.stringify({ fresh, replayed }))

function message(role, turn, step) {
  const info = {
    id: `msg_${turn}_${step}_${role}`,
    sessionID: session,
    role,
    model: { providerID: "p", modelID: "m" },
    time: { created: Date.now(), completed: Date.now() },
  }
  const part = { sessionID: session, messageID: info.id }
  const parts = [{ ...part, id: `prt_${turn}_${step}`, type: "text", text: TEXT }]
  if (role === "assistant") parts.push({ ...part, ...toolPart(turn, step) })
  return { info, parts }
}

function toolPart(turn, step) {
  const time = { start: Date.now(), end: Date.now() }
  const state = {
    status: "completed",
    input: {},
    output: "A line of a file. ".repeat(100),
    metadata: {},
    time,
  }
  return { id: `prt_tool_${turn}_${step}`, type: "tool", callID: `call_${turn}_${step}`, tool: "read", state }
}
