import { computed, signal } from "@preact/signals"

export const VIEWS = ["now", "plans", "memory", "timeline", "context", "health"] as const
export type ViewName = (typeof VIEWS)[number]

const hash = signal(location.hash)
addEventListener("hashchange", () => {
  hash.value = location.hash
})

/** The current view and the choices in it. They are kept in the URL after `#`, so that the back button works. */
export const route = computed(() => {
  const [name = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?")
  const view = VIEWS.find((each) => each === name) ?? "now"
  return { view, params: Object.fromEntries(new URLSearchParams(query)) as Readonly<Record<string, string>> }
})

type Changes = Readonly<Record<string, string | null>>

export function linkTo(view: ViewName, params: Changes = {}): string {
  const given = Object.entries(params).flatMap(([key, value]) => (value ? [[key, value]] : []))
  const query = new URLSearchParams(given).toString()
  return `#/${view}${query === "" ? "" : `?${query}`}`
}

export function goTo(view: ViewName, params: Changes = {}): void {
  location.hash = linkTo(view, params)
}

/** Changes choices in this view. `replace` adds no step to the browser's history; search fields use it while typing. */
export function choose(changes: Changes, { replace = false } = {}): void {
  const { view, params } = route.value
  const link = linkTo(view, { ...params, ...changes })
  if (replace) history.replaceState(null, "", link)
  else location.hash = link
  // Set here as well, because the browser's `hashchange` event may come after the next choice.
  hash.value = location.hash
}
