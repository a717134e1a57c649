// A client that saves mems as fast as it can, until somebody kills it. Prints the server's process id first.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

const [cli, cwd] = process.argv.slice(2)
const transport = new StdioClientTransport({ command: process.execPath, args: [cli, "mcp"], cwd })
const client = new Client({ name: "doomed", version: "1.0.0" })
await client.connect(transport)
const call = (name, given) => client.callTool({ name, arguments: given })
await call("hivemind_session", { action: "start", intent: "save a lot" })
for (let n = 0; ; n++) {
  const { content } = await call("hivemind_memory", { action: "save", content: `fact ${n}`, kind: "fact" })
  process.stdout.write(
    `${JSON.stringify({ pid: transport.pid, id: JSON.parse(content[0].text).entity_id })}\n`,
  )
}
