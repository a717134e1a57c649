import { computed, signal } from "@preact/signals"

/** Where the reader is: a view and the choices in it, kept in the address after `#`, so that going back works. */
export interface Route {
  view: ViewName
  params: Readonly<Record<string, string>>
}

export const VIEWS = ["now", "plans", "memory", "timeline", "context", "health"] as const
export type ViewName = (typeof VIEWS)[number]

const hash = signal(location.hash)
addEventListener("hashchange", () => {
  hash.value = location.hash
})

export const route = computed<Route>(() => {
  const [name = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?")
  const view = VIEWS.find((each) => each === name) ?? "now"
  return { view, params: Object.fromEntries(new URLSearchParams(query)) }
})

type Changes = Readonly<Record<string, string | null>>

/** The address of a view. */
export function linkTo(view: ViewName, params: Changes = {}): string {
  const given = Object.entries(params).flatMap(([key, value]) => (value ? [[key, value]] : []))
  const query = new URLSearchParams(given).toString()
  return `#/${view}${query === "" ? "" : `?${query}`}`
}

export function goTo(view: ViewName, params: Changes = {}): void {
  location.hash = linkTo(view, params)
}

/** Changes the choices in this view. Typing replaces the address, so that back does not go letter by letter. */
export function choose(changes: Changes, { replace = false } = {}): void {
  const { view, params } = route.value
  const link = linkTo(view, { ...params, ...changes })
  if (replace) history.replaceState(null, "", link)
  else location.hash = link
  // At once: the browser reports it later, and another choice may come before.
  hash.value = location.hash
}
