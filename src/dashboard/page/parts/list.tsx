import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { amount } from "./format.tsx"

interface Rows<T> {
  label: string
  items: readonly T[]
  /** Its button takes `focus`: one button is a tab stop, the arrow keys reach the others. */
  row(item: T, focus: RowFocus): ComponentChildren
  keyOf(item: T): string
  /** An arrow key to the side, from that row. */
  onSide?(step: 1 | -1, index: number): void
  class?: string
}

export interface RowFocus {
  "data-row": number
  "data-key": string
  tabIndex: number
}

/** A list that arrow keys, Page up and down, Home and End go through. */
export function List<T>({ label, items, row, keyOf, onSide, class: name = "" }: Rows<T>) {
  const [current, setCurrent] = useState(0)
  const tabStop = Math.min(current, items.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const at = rowAt(event.target)
    if (at === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    const last = items.length - 1
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE,
      PageUp: -PAGE,
      Home: -at,
      End: last,
    }
    const step = steps[event.key]
    if (step !== undefined) focusRow(event.currentTarget as Element, Math.min(Math.max(0, at + step), last))
    else if (event.key === "ArrowRight") onSide?.(1, at)
    else if (event.key === "ArrowLeft") onSide?.(-1, at)
    else return
    event.preventDefault()
  }
  return (
    <ul
      class={`list ${name}`}
      aria-label={label}
      onKeyDown={onKeyDown}
      onFocusCapture={(event) => setCurrent(rowAt(event.target) ?? current)}
    >
      {items.map((item, at) => (
        <li key={keyOf(item)}>
          {row(item, { "data-row": at, "data-key": keyOf(item), tabIndex: at === tabStop ? 0 : -1 })}
        </li>
      ))}
    </ul>
  )
}

/** Draws the next page of a long list. */
export function ShowMore({ more, onClick }: { more: number; onClick: () => void }) {
  if (more <= 0) return null
  return (
    <button type="button" class="button show-more" onClick={onClick}>
      Show more ({amount(more)})
    </button>
  )
}

/** The last row where the list has fewer. */
export function focusRow(list: Element | null, index: number): void {
  const rows = list?.querySelectorAll<HTMLElement>("[data-row]") ?? []
  rows[Math.min(index, rows.length - 1)]?.focus()
}

function rowAt(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null
  return row === null ? undefined : Number(row.dataset["row"])
}

const PAGE = 10
