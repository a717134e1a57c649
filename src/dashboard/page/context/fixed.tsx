import type { FixedCost } from "../../answers/model.ts"
import { amount } from "../parts/amounts.ts"
import { Snippet } from "../parts/snippet.tsx"

/** What every request carries of us; providers that cache count it once. */
export function Fixed({ fixed: { tokens, system, tools } }: { fixed: FixedCost }) {
  return (
    <details class="fixed">
      <summary>Every request carries {amount(tokens)} tokens of ours</summary>
      <p class="quiet">
        {amount(system.tokens)} in the system prompt, {amount(tools.tokens)} for {tools.each.length} tools.
        They never change, so a provider that caches reads them once.
      </p>
      <Snippet>{system.text}</Snippet>
      <ul class="plain columns">
        {tools.each.map(({ name, tokens: each }) => (
          <li key={name}>
            <code>{name}</code> <span class="quiet number">{amount(each)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
