import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { ErrorView } from "../../answers/model.ts"
import { ask, NoAnswer } from "./data.ts"
import { project } from "./route.ts"

/** What the server answered. While it is asked anew the last answer stays, so that nothing jumps. */
export interface Answer<T> {
  value: T | undefined
  error: ErrorView | null
  isLoading: boolean
}

/** Goes up with each change of the graph: whatever is shown is asked for again. */
export const version = signal(0)

/** Asks at once, when the address changes and when the graph does. Nothing is asked at null. */
export function useAnswer<T>(at: string | null): Answer<T> {
  const key = `${project.value ?? ""} ${at ?? ""}`
  const asked = version.value
  const [state, setState] = useState<{ key: string; answer: Answer<T> }>({ key: "", answer: NOTHING })
  useEffect(() => {
    if (at === null) return
    const stop = new AbortController()
    const settle = (answer: Answer<T>) => {
      if (!stop.signal.aborted) setState({ key, answer })
    }
    ask(at, project.value, stop.signal).then(
      (value) => {
        remember(key, value)
        settle({ value: value as T, error: null, isLoading: false })
      },
      (error: unknown) => settle({ value: undefined, error: errorOf(error), isLoading: false }),
    )
    return () => stop.abort()
  }, [key, asked])
  if (at === null) return { value: undefined, error: null, isLoading: false }
  if (state.key === key) return state.answer
  return { value: remembered.get(key) as T | undefined, error: null, isLoading: true }
}

/** In words, also where there is no server to give them. */
export function errorOf(error: unknown): ErrorView {
  if (error instanceof NoAnswer) return error.view
  return {
    code: "unreachable",
    what: "The server cannot be reached.",
    why: "It ends with the terminal that it was started in.",
    use_instead: "Start it again with hivemind dashboard, then reload this page.",
  }
}

function remember(key: string, value: unknown): void {
  remembered.delete(key)
  remembered.set(key, value)
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}

/** What was shown a moment ago is shown again at once. */
const remembered = new Map<string, unknown>()
const MAX_REMEMBERED = 40
const NOTHING = { value: undefined, error: null, isLoading: true }
