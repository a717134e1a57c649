import { homedir } from "node:os"
import type { HookRequest } from "./hook-service.ts"
import { projectFolder, reportToDoctor } from "./hook-tool.ts"
import { askServer } from "./socket.ts"

/**
 * `hivemind hook <agent>`: reads an event from standard input and answers on standard output. The agent's running server
 * answers where there is one, so this loads little. Never fails: whatever goes wrong, the agent goes on.
 */
export async function runHook(agent: string): Promise<void> {
  const payload = payloadIn(await readInput())
  if (payload === undefined || (await reportToDoctor(payload["hook_event_name"]))) return
  const directory = projectFolder(process.env) ?? String(payload["cwd"])
  const request: HookRequest = { agent, directory, payload }
  const answer = await askServer(request, LIMIT_MS)
  if (answer === undefined) await answerAlone(request)
  else process.stdout.write(answer)
}

/** Without a server: everything is loaded, and the steps behind the answer run to their end. */
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

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

function payloadIn(text: string): Record<string, unknown> | undefined {
  try {
    const payload: unknown = JSON.parse(text)
    return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : undefined
  } catch {
    return undefined // Not an event of an agent.
  }
}

// The server has limits of its own, which are shorter.
const LIMIT_MS = 14_000
