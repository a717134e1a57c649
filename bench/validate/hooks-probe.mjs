// What the plugin does between a new session and its first model request: its hooks, called as the host calls them,
// while the work that the new session has set off runs beside them. Runs on Bun, as plugins do. Prints the time in ms.
// usage: hooks-probe.mjs <plugin folder> <project>
const [plugin, project] = process.argv.slice(2)
const { default: module } = await import(`${plugin}/dist/server/index.js`)
const client = { config: { providers: async () => ({ data: { providers: [] } }) } }
const hooks = await module.server({ directory: project, worktree: project, client }, undefined)

const sessionID = `ses_${process.pid}`
const info = {
  id: "msg_1",
  sessionID,
  role: "user",
  agent: "build",
  model: { providerID: "p", modelID: "m" },
}
const parts = [{ id: "prt_1", sessionID, messageID: "msg_1", type: "text", text: "Where are we?" }]
const output = { messages: [{ info, parts }], system: [`Working directory: ${project}`] }

const started = performance.now()
await hooks.event({ event: { type: "session.created", properties: { info: { id: sessionID } } } })
// In the host, events come in beside everything else; the prompt comes one turn of the loop later at the earliest.
await new Promise((resolve) => setImmediate(resolve))
await hooks["chat.message"]({ sessionID }, { message: info, parts })
await hooks["experimental.chat.messages.transform"]({}, output)
await hooks["experimental.chat.system.transform"]({}, output)
const took = performance.now() - started

const isTold = output.messages[0].parts.some(({ text }) => text.startsWith("<hivemind_state"))
if (!isTold) throw new Error("the hooks have put nothing before the model")
console.log(JSON.stringify(took))
await hooks.dispose()
process.exit(0)
