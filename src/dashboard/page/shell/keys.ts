import { dismissShown } from "../data/commands.ts"
import { goTo, VIEWS } from "../data/route.ts"
import { closeSheet } from "../parts/sheet.tsx"

/** Keys that work everywhere: `g` and a letter, `/`, arrows in lists, Escape. Not while the reader types. */
export function readKeys(): void {
  let isGoing = false
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === "Escape") {
      closeNearest(event)
      return
    }
    if (isTyping(event.target)) return
    const wasGoing = isGoing
    isGoing = event.key === "g" && !wasGoing
    if (wasGoing) {
      const view = VIEWS.find((name) => name.startsWith(event.key))
      if (view === undefined) return
      goTo(view)
      focusHeading()
    } else if (event.key === "/") {
      const field = document.querySelector<HTMLInputElement>("main input[type='search']")
      if (field === null) goTo("memory")
      requestAnimationFrame(() =>
        document.querySelector<HTMLInputElement>("main input[type='search']")?.focus(),
      )
    } else if (!(event.key in ROW_STEPS && focusRowBeside(ROW_STEPS[event.key] ?? 0))) return
    event.preventDefault()
  })
}

/** From a row of a list to the one below or above. False if no row has the focus: then the page scrolls. */
function focusRowBeside(step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(".list button, .happened, .node")]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  if (at >= 0) rows[at + step]?.focus()
  return at >= 0
}

const ROW_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** A form in a sheet is closed first, then the note about a change, then the sheet. */
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

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select") !== null
}

export function focusHeading(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true }))
}
