import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import type { ErrorView, Page } from "../../answers/model.ts"
import { address, ask, NoAnswer, type Params } from "./data.ts"

/** The server's answer to a request. While the request is repeated, the old value stays, so that the page does not jump. */
export interface Answer<T> {
  value: T | undefined
  error: ErrorView | null
  isLoading: boolean
}

/** Counts up when the project's data changes. All data on the page is then requested again. */
export const version = signal(0)

/** Requests an address at once, and again when the address or the graph changes. With null, nothing is requested. */
export function useAnswer<T>(at: string | null): Answer<T> {
  return useLoaded(at, (signal) => ask(at ?? "", signal) as Promise<T>)
}

/** Requests a paged list; `showMore` adds a page. Old items stay until the new ones have arrived. */
export function useList<T, V extends Page<T>>(endpoint: string, params: Params) {
  const of = address(endpoint, params)
  const [shown, setShown] = useState({ of, pages: 1 })
  const count = shown.of === of ? shown.pages : 1
  const { value, error } = useLoaded(`${of} ${count}`, (signal) => {
    const pages = Array.from({ length: count }, (_, at) => (at === 0 ? null : at + 1))
    return Promise.all(pages.map((page) => ask(address(endpoint, { ...params, page }), signal))) as Promise<
      V[]
    >
  })
  const last = useRef<V[]>([])
  if (value !== undefined) last.current = value
  const pages = error === null ? last.current : []
  const items = pages.flatMap((page) => page.items)
  const first = pages[0]
  const showMore = () => setShown({ of, pages: count + 1 })
  return { items, first, error, more: (first?.total ?? 0) - items.length, showMore }
}

function useLoaded<T>(of: string | null, load: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const key = of ?? ""
  const asked = version.value
  const [state, setState] = useState<{ key: string; answer: Answer<T> }>()
  useEffect(() => {
    if (of === null) return
    const stop = new AbortController()
    const settle = (answer: Answer<T>) => {
      if (!stop.signal.aborted) setState({ key, answer })
    }
    load(stop.signal).then(
      (value) => {
        remember(key, value)
        settle({ value, error: null, isLoading: false })
      },
      (error: unknown) => settle({ value: undefined, error: errorOf(error), isLoading: false }),
    )
    return () => stop.abort()
  }, [key, asked])
  if (of === null) return { value: undefined, error: null, isLoading: false }
  if (state?.key === key) return state.answer
  return { value: remembered.get(key) as T | undefined, error: null, isLoading: true }
}

/** Turns a failed request into an error to show. Without an answer of the server, the error says how to start it again. */
export function errorOf(error: unknown): ErrorView {
  if (error instanceof NoAnswer) return error.view
  return {
    code: "unreachable",
    what: "The server cannot be reached.",
    why: "It stops when the terminal that it was started in is closed.",
    use_instead: "Start it again with hivemind dashboard, then reload this page.",
  }
}

function remember(key: string, value: unknown): void {
  remembered.delete(key)
  remembered.set(key, value)
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}

/** Recent answers by address. A view shows them at once when the reader comes back to it. */
const remembered = new Map<string, unknown>()
const MAX_REMEMBERED = 40
