import type { ModelRequest } from "./model-request.ts"

/** A request as a provider's cache sees it: tools, then messages in order. */
function cacheText(request: ModelRequest): string {
  const { tools, messages } = request.body as { tools?: unknown; messages: unknown[] }
  return [JSON.stringify(tools ?? []), ...messages.map((message) => JSON.stringify(message))].join("\n")
}

export interface PrefixFigures {
  /** For each request after the first: the share of the previous one that it begins with. */
  kept: number[]
  /** Bytes that were not in the cache, over all requests. */
  recomputed: number
}

export function prefixFigures(requests: readonly ModelRequest[]): PrefixFigures {
  const texts = requests.map(cacheText)
  const kept: number[] = []
  let recomputed = texts[0]?.length ?? 0
  for (let n = 1; n < texts.length; n++) {
    const [before = "", after = ""] = [texts[n - 1], texts[n]]
    const common = commonLength(before, after)
    kept.push(common / before.length)
    recomputed += after.length - common
  }
  return { kept, recomputed }
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let n = 0
  while (n < most && a.charCodeAt(n) === b.charCodeAt(n)) n++
  return n
}
