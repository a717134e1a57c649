// Times what detection does after every tool call. Prints one line of JSON, milliseconds per call: `gate` is the hook
// before it, for comparison, `checks` is what is counted of the call afterwards, `counted` the same with the write of it.
// usage: watch-probe.mjs <project> <rounds>

import { openHiveIn } from "../../build/hive/open.js"
import { readCall } from "../../build/hosts/opencode/calls.js"
import { observedCall } from "../../build/turns/after-call.js"
import { beforeCall } from "../../build/turns/before-call.js"
import { callSnapshots } from "../../build/turns/call-snapshots.js"
import { lastMessages } from "../../build/turns/user-message.js"
import { countEvent } from "../../build/watch/count-event.js"
import { observe } from "../../build/watch/counting-rules.js"
import { draftMetrics, metricsOf } from "../../build/watch/session-metrics.js"
import { activeSignals } from "../../build/watch/signals.js"
import { updateSession } from "../../build/work/focus/update.js"

const [project, rounds] = process.argv.slice(2)
const session = "ses_bench"
const caller = { session, agent: "build", tool: "bench" }
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const { hive } = await openHiveIn(project, {
  source,
  userConfig: null,
  options: { name: "bench", value: {} },
})
const { task } = await updateSession(hive, caller, {
  level: "action",
  content: "Settings remember the language",
})
const log = () => {}
const calls = new Map()
const tree = callSnapshots(log, log)
const input = { hive: async () => hive, place: hive, directory: project, userHome: "/home/nobody", log, tree }
const gate = beforeCall({ ...input, lastMessages: lastMessages() }, calls)
const code = "const parsed = read(input) ?? fallback // language of the region in a cookie\n"
const cases = {
  edit: (n) => ({
    tool: "edit",
    args: {
      filePath: `${project}/src/part-${n % 50}/file.ts`,
      oldString: `old ${n}`,
      newString: code.repeat(10),
    },
  }),
  "write of 64 KB": (n) => ({
    tool: "write",
    args: { filePath: `${project}/src/part-${n % 50}/file.ts`, content: code.repeat(830) },
  }),
  bash: (n) => ({
    tool: "bash",
    args: { command: `npm test -- file-${n % 50} && git status --short`, description: "Run the tests" },
  }),
  read: (n) => ({ tool: "read", args: { filePath: `${project}/src/part-${n % 50}/file.ts` } }),
}
const times = {}
for (const [name, make] of Object.entries(cases)) {
  const of = { gate: [], checks: [], counted: [] }
  times[name] = of
  for (let n = 0; n < Number(rounds) + 50; n++) {
    const id = `call_${name}_${n}`
    const result = {
      ...{ id, session, agent: "build", tool: name, ok: true, exit: 0, child: null },
      ...{ said: `line of output ${n}\n`.repeat(200), isSilent: false, isStopped: false },
    }
    const asked = performance.now()
    await gate(readCall({ id, session, agent: "build", ...make(n) }))
    const passed = performance.now()
    const { call } = calls.get(id)
    const { state } = hive.store.read()
    const started = performance.now()
    const event = observedCall(result, call, { changed: [], task: task.title, step: id })
    const draft = draftMetrics(metricsOf(state, session))
    const now = source.now()
    observe(draft, event, now)
    activeSignals({ state, session, metrics: draft.metrics, now, detection: hive.config.detection })
    const checked = performance.now()
    await countEvent(hive, caller, event, () => undefined)
    if (n < 50) continue
    of.gate.push(passed - asked)
    of.checks.push(checked - started)
    of.counted.push(performance.now() - checked)
  }
}
await hive.store.close()
console.log(JSON.stringify(times))
