import { useEffect, useRef, useState } from "preact/hooks"
import type { ErrorView, Page } from "../../answers/model.ts"
import { errorOf, version } from "./answers.ts"
import { address, ask, type Params } from "./data.ts"
import { project } from "./route.ts"

/** A long list of which only what is looked at is asked for. */
export interface LongList<T, V extends Page<T>> {
  /** The first page, with what the view says beside its items. */
  first: V | undefined
  total: number
  at(index: number): T | undefined
  /** Called with what is in sight. */
  show(from: number, to: number): void
  error: ErrorView | null
}

/** `endpoint` with these params answers with pages. A change of the graph asks again for the pages in sight only. */
export function useLongList<T, V extends Page<T>>(endpoint: string, params: Params): LongList<T, V> {
  const key = `${project.value ?? ""} ${address(endpoint, params)}`
  const [, redraw] = useState(0)
  const [error, setError] = useState<ErrorView | null>(null)
  const held = useRef<Held<T, V>>({ key, version: 0, pages: new Map(), asked: new Set(), inSight: [1] })
  const list = held.current
  const now = version.value
  const fresh = list.key !== key || list.version !== now

  const load = (page: number) => {
    if (list.asked.has(page)) return
    list.asked.add(page)
    const round = `${key} ${now}`
    list.round = round
    ask(address(endpoint, { ...params, page: page === 1 ? null : page }), project.value)
      .then((answer) => {
        if (list.round !== round) return
        // What was found for other words gives way when the new answer is there, so that the list does not flicker.
        if (list.shown !== key) list.pages.clear()
        list.shown = key
        list.pages.set(page, answer as V)
        setError(null)
      })
      .catch((failure: unknown) => {
        // What is shown already stays.
        if (list.round === round && list.shown !== key) setError(errorOf(failure))
      })
      .finally(() => redraw((count) => count + 1))
  }

  useEffect(() => {
    if (!fresh) return
    const isOther = list.key !== key
    list.key = key
    list.version = now
    list.asked = new Set()
    if (isOther) list.inSight = [1]
    for (const page of new Set([1, ...list.inSight])) load(page)
  }, [key, now])
  useEffect(() => {
    load(1)
  }, [])

  const first = list.pages.get(1)
  const size = Math.max(1, first?.items.length ?? 1)
  return {
    first,
    total: first?.total ?? 0,
    at: (index) => list.pages.get(Math.floor(index / size) + 1)?.items[index % size],
    show: (from, to) => {
      if (first === undefined) return
      const pages = [Math.floor(from / size) + 1, Math.floor(Math.max(from, to - 1) / size) + 1]
      list.inSight = [...new Set(pages)].filter((page) => (page - 1) * size < first.total)
      for (const page of list.inSight) load(page)
    },
    error,
  }
}

interface Held<T, V extends Page<T>> {
  key: string
  version: number
  pages: Map<number, V>
  asked: Set<number>
  inSight: number[]
  /** The question that the pages answer, and the one that is under way. */
  shown?: string
  round?: string
}
