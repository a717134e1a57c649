import { countTokens } from "../../shared/text/tokens.ts"

interface ShownTool {
  name: string
  description: string
  schema(): Readonly<Record<string, unknown>>
}

/** What every request carries of us, whatever is in the graph. Counted once by providers that cache. */
export interface FixedCost {
  tokens: number
  system: { tokens: number; text: string }
  tools: { tokens: number; each: { name: string; tokens: number; text: string }[] }
}

/** The system prompt's part and the tools, as a host sends them to the model. */
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
