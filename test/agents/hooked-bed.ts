import { expect } from "vitest"
import type { ModelRequest } from "../live/bed/model-request.ts"
import { type AgentBed, type AgentBedOptions, openAgentBed } from "./bed/bed.ts"
import type { AgentName } from "./bed/programs.ts"

export async function openHookedBed(agent: AgentName, options: AgentBedOptions = {}): Promise<AgentBed> {
  const bed = await openAgentBed(agent, options)
  const { code, stdout, stderr } = await bed.hivemind("init", "--yes", "--agent", agent)
  expect(`${code} ${stdout} ${stderr}`).toMatch(/^0 HiveMind is set up/)
  // Codex asks the model before it knows the tools of a server that is slow to start, which it names in the text of another tool.
  if (agent === "codex")
    bed.model.tooEarly = ({ kind, body }) =>
      kind === "compaction" || /- hivemind/.test(JSON.stringify(body.tools))
        ? undefined
        : { ...bed.does.run("true"), usage: { input: 0, output: 0 } }
  return bed
}

export const sentText = (request: ModelRequest | undefined): string => JSON.stringify(request?.body)

export function ofTurn(requests: readonly ModelRequest[]): ModelRequest[] {
  return requests.filter(({ kind }) => kind === "turn")
}
