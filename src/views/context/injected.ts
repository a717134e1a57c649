import type { Block } from "../../context/pack/fit-block.ts"
import { pack } from "../../context/pack/pack.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { evidenceCheck } from "../../knowledge/memory/evidence.ts"
import { fileStatusLookup } from "../../project/document/file-status.ts"
import type { CodeFactsLookup } from "../../schemas/codemap.ts"
import { countTokens } from "../../shared/text/tokens.ts"

interface PackedWanted {
  /** Host id of the session whose read-head counts; null for the project. */
  session: string | null
  /** A moment in the past, in ms. Default: now. */
  asOf?: number | undefined
}

async function codeLook(hive: Hive): Promise<CodeFactsLookup> {
  const { codeMapOf, codeFactsFor } = await import("../../project/codemap/answers.ts") // Large, and seldom needed.
  const codeMap = codeMapOf(hive)
  if (!codeMap.hasFile()) return () => undefined
  const map = await codeMap.refresh()
  return codeFactsFor(map, await codeMap.graphOf(map))
}

/** The full block that the model would get. Reads only. */
export async function packedState(hive: Hive, { session, asOf }: PackedWanted): Promise<Block> {
  const state = asOf === undefined ? hive.store.read().state : await hive.store.asOf(asOf)
  return pack(state, headOf(state, session), {
    now: asOf ?? hive.source.now(),
    branch: hive.branch(),
    model: { window: undefined, share: hive.config.budget_share },
    stamp: sessionOf(state, session)?.stamp,
    turningPoints: sessionOf(state, session)?.turning_points,
    // The files of that time are gone: today's would mark the wrong things as changed.
    ...(asOf === undefined
      ? {
          archivedCount: hive.store.archive.size(),
          evidence: evidenceCheck(hive.dir),
          files: fileStatusLookup(hive.dir),
          code: await codeLook(hive),
        }
      : {}),
  })
}

interface ShownTool {
  name: string
  description: string
  schema(): Readonly<Record<string, unknown>>
}

/** Fixed cost of every request, independent of the graph. */
export interface FixedCost {
  tokens: number
  system: { tokens: number; text: string }
  tools: { tokens: number; each: { name: string; tokens: number; text: string }[] }
}

export function fixedCost(system: string, tools: readonly ShownTool[]): FixedCost {
  const each = tools.map((tool) => {
    const { name, description } = tool
    const shown = { name, description, parameters: tool.schema() }
    const text = JSON.stringify({ type: "function", function: shown })
    return { name, tokens: countTokens(text), text }
  })
  const ofTools = each.reduce((sum, { tokens }) => sum + tokens, 0)
  const ofSystem = countTokens(system)
  return {
    tokens: ofSystem + ofTools,
    system: { tokens: ofSystem, text: system },
    tools: { tokens: ofTools, each },
  }
}
