import { useEffect, useState } from "preact/hooks"
import type { ErrorView, Page } from "../../answers/model.ts"
import { errorOf, version } from "./answers.ts"
import { address, ask, type Params } from "./data.ts"
import { project } from "./route.ts"

interface Pages<T, V> {
  items: readonly T[]
  first: V | undefined
  error: ErrorView | null
}

/** The first so many pages of a list, one after another. They stay while they are asked for again. */
export function usePagesUpTo<T, V extends Page<T>>(
  endpoint: string,
  params: Params,
  upTo: number,
): Pages<T, V> {
  const key = `${project.value ?? ""} ${address(endpoint, params)}`
  const asked = version.value
  const [held, setHeld] = useState<{ key: string; pages: V[]; error: ErrorView | null }>({
    key,
    pages: [],
    error: null,
  })
  useEffect(() => {
    const stop = new AbortController()
    const ofPage = (_: unknown, at: number) =>
      ask(address(endpoint, { ...params, page: at === 0 ? null : at + 1 }), project.value, stop.signal)
    Promise.all(Array.from({ length: upTo }, ofPage)).then(
      (pages) => {
        if (!stop.signal.aborted) setHeld({ key, pages: pages as V[], error: null })
      },
      (error: unknown) => {
        if (!stop.signal.aborted)
          setHeld((before) =>
            before.key === key && before.pages.length > 0
              ? before
              : { key, pages: [], error: errorOf(error) },
          )
      },
    )
    return () => stop.abort()
  }, [key, upTo, asked])
  return { items: held.pages.flatMap(({ items }) => items), first: held.pages[0], error: held.error }
}
