import type { Connected } from "./connection.ts"
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Server,
} from "./sdk.ts"

/** The state as a resource and as a prompt. */
export function offerState(server: Server, client: () => Promise<Connected>): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      {
        uri: STATE,
        name: "state",
        title: "Where the project stands",
        description: "Plan, tasks, decisions and warnings, as an agent sees them",
        mimeType: "text/xml",
      },
    ],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (uri !== STATE)
      throw new McpError(RESOURCE_NOT_FOUND, `There is no ${uri.slice(0, MAX_SHOWN)}. Read ${STATE}.`)
    return { contents: [{ uri, mimeType: "text/xml", text: await wholeState(await client()) }] }
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: PROMPT, title: "Where the project stands", description: "The plan and the knowledge" }],
  }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params: { name } }) => {
    if (name !== PROMPT)
      throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name.slice(0, MAX_SHOWN)}.`)
    const text = await wholeState(await client())
    return { messages: [{ role: "user", content: { type: "text", text } }] }
  })
}

async function wholeState({ hivemind, session }: Connected): Promise<string> {
  const state = await hivemind.callsOnly.whole(session)
  return state === "" ? NOTHING_YET : state
}

const STATE = "hivemind://state"
const PROMPT = "state"
const NOTHING_YET = "Nothing is planned or known here yet."
// The protocol's error code.
const RESOURCE_NOT_FOUND = -32002
const MAX_SHOWN = 200
