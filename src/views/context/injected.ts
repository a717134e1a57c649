import { type Block, budgetFor } from "../../context/pack/fit-block.ts"
import { pack } from "../../context/pack/pack.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { evidenceCheck } from "../../knowledge/memory/evidence.ts"
import { fileStatusLookup } from "../../project/document/file-status.ts"
import type { CodeFactsLookup } from "../../schemas/codemap.ts"
import { countTokens } from "../../shared/text/tokens.ts"

async function codeLook(hive: Hive): Promise<CodeFactsLookup> {
  const { codeMapOf, codeFactsFor } = await import("../../project/codemap/answers.ts") // Loaded on demand: the module is large.
  const codeMap = codeMapOf(hive)
  if (!codeMap.hasFile()) return () => undefined
  const map = await codeMap.refresh()
  return codeFactsFor(map, await codeMap.graphOf(map))
}

/** The full block that the model would get, now or at the time `asOf` in ms. `session` null means the project. */
export async function packedState(
  hive: Hive,
  { session, asOf }: { session: string | null; asOf?: number | undefined },
): Promise<Block> {
  const state = asOf === undefined ? hive.store.read().state : await hive.store.asOf(asOf)
  return pack(state, headOf(state, session), {
    now: asOf ?? hive.source.now(),
    branch: hive.branch(),
    budget: budgetFor(undefined, hive.config.budget_share),
    stamp: sessionOf(state, session)?.stamp,
    turningPoints: sessionOf(state, session)?.turning_points,
    // For a past time, today's files are not compared: they would mark the wrong records as changed.
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

/** The tokens that HiveMind's tools and system prompt add to every request, however large the graph is. */
export type FixedCost = ReturnType<typeof fixedCost>

export function fixedCost(system: string, tools: readonly ShownTool[]) {
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
