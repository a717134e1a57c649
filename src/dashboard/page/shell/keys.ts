import { dismissShown } from "../data/commands.ts"
import { goTo, VIEWS } from "../data/route.ts"
import { closeSheet } from "../parts/sheet.tsx"

/** Handles keys for the whole page: `g` and a letter, `/`, arrows in lists, Escape. While the user types, only Escape. */
export function readKeys(): void {
  let isGoing = false
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === "Escape") {
      closeNearest(event)
      return
    }
    if (event.target instanceof Element && event.target.closest("input, textarea, select") !== null) return
    const wasGoing = isGoing
    isGoing = event.key === "g" && !wasGoing
    if (wasGoing) {
      const view = VIEWS.find((name) => name.startsWith(event.key))
      if (view === undefined) return
      goTo(view)
      focusHeading()
    } else if (event.key === "/") {
      const field = () => document.querySelector<HTMLInputElement>("main input[type='search']")
      if (field() === null) goTo("memory")
      requestAnimationFrame(() => field()?.focus())
    } else if (!(event.key in ROW_STEPS && focusRowBeside(ROW_STEPS[event.key] ?? 0))) return
    event.preventDefault()
  })
}

/** Moves the focus to the row before or after the focused one. Returns false if no row is focused: the page scrolls then. */
function focusRowBeside(step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(".list button, .happened, .node")]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  if (at >= 0) rows[at + step]?.focus()
  return at >= 0
}

const ROW_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Closes one thing per key press: a focused form, else the note about a change, else the sheet. */
function closeNearest(event: KeyboardEvent): void {
  const form = document.querySelector<HTMLElement>("form[data-closes]:focus-within [data-close]")
  if (form !== null) {
    const sheet = form.closest(".sheet")
    form.click()
    sheet?.querySelector<HTMLElement>("h2")?.focus()
  } else if (!dismissShown()) {
    if (document.querySelector(".sheet") === null) return
    closeSheet()
  }
  event.preventDefault()
}

export function focusHeading(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true }))
}
