import { homedir } from "node:os"
import { text } from "node:stream/consumers"
import type { HookRequest } from "./hook-service.ts"
import { projectFolder, reportToDoctor } from "./hook-tool.ts"
import { askServer } from "./socket.ts"

/** `hivemind hook <agent>`: answers an event from standard input. It starts fast: the MCP server does the work. */
export async function runHook(agent: string): Promise<void> {
  const payload = payloadIn(await text(process.stdin))
  if (payload === undefined || (await reportToDoctor(payload["hook_event_name"]))) return
  const directory = projectFolder(process.env) ?? String(payload["cwd"])
  const request: HookRequest = { agent, directory, payload }
  const answer = await askServer(request, LIMIT_MS)
  if (answer === undefined) await answerAlone(request)
  else process.stdout.write(answer)
}

async function answerAlone(request: HookRequest): Promise<void> {
  const [{ hookService }, { userConfigFile }] = await Promise.all([
    import("./hook-service.ts"),
    import("../../hive/load-config.ts"),
  ])
  const home = homedir()
  const service = hookService({ home, userConfig: userConfigFile(process.env, home) })
  process.stdout.write(await service.answer(request))
  await service.close()
}

function payloadIn(input: string): Record<string, unknown> | undefined {
  try {
    const payload: unknown = JSON.parse(input)
    return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : undefined
  } catch {
    return undefined // The input is not a hook event.
  }
}

// The server's own time limits are shorter.
const LIMIT_MS = 14_000
