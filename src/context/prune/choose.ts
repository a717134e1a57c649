/** One tool call whose output the model still sees. */
export interface Call {
  id: string
  tool: string
  /** When it ran, in ms. */
  at: number
  /** Of its output, in tokens. */
  size: number
  /** A second call would bring the output back. */
  isRepeatable: boolean
}

/** When a task was worked on; `to` is null while it still is. */
export interface Span {
  title: string
  from: number
  to: number | null
  state: "at hand" | "open" | "done" | "given up"
}

/**
 * The calls whose output nobody needs any more: those of finished work, what was given up first. Never of a task at
 * hand, never the newest ones, and never what a second call could not bring back.
 */
export function chooseStale(calls: readonly Call[], spans: readonly Span[]): { call: Call; span: Span }[] {
  const oldestFirst = [...calls].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const stale = oldestFirst.slice(0, -KEPT_NEWEST).flatMap((call) => {
    const span = spanOf(call, spans)
    return span !== undefined && isStale(call, span) ? [{ call, span }] : []
  })
  return [
    ...stale.filter(({ span }) => span.state === "given up"),
    ...stale.filter(({ span }) => span.state === "done"),
  ]
}

/** The work that a call was part of: the task that was started last; one at hand comes before all others. */
function spanOf({ at }: Call, spans: readonly Span[]): Span | undefined {
  const around = spans.filter(({ from, to }) => from <= at && (to === null || at <= to))
  const latestFirst = [...around].sort((a, b) => b.from - a.from)
  return latestFirst.find(({ state }) => state === "at hand") ?? latestFirst[0]
}

function isStale({ size, isRepeatable }: Call, { state }: Span): boolean {
  if (!isRepeatable) return false
  if (state === "given up") return size >= MIN_TOKENS_GIVEN_UP
  return state === "done" && size >= MIN_TOKENS
}

const KEPT_NEWEST = 3
const MIN_TOKENS = 400
const MIN_TOKENS_GIVEN_UP = 150
