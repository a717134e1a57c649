import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

interface Rows {
  label: string
  total: number
  rowPx: number
  /** Another one starts at the top again. */
  of: string
  keyAt(index: number): string | undefined
  /** The row's button takes these, so that one of them is in the order of tabs and the arrow keys find the others. */
  row(index: number, focus: RowFocus): ComponentChildren
  onShown?(from: number, to: number): void
  /** An arrow to the side, from that row. */
  onSide?(step: 1 | -1, index: number): void
  class?: string
}

export interface RowFocus {
  "data-row": number
  "data-key": string | undefined
  tabIndex: number
}

/** A list of any length of which only what is in sight is drawn. Arrow keys, Home and End go through it. */
export function VirtualList({
  label,
  total,
  rowPx,
  of,
  keyAt,
  row,
  onShown,
  onSide,
  class: name = "",
}: Rows) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [current, setCurrent] = useState(0)
  const wanted = useRef<number | null>(null)
  const from = Math.max(0, Math.floor(top / rowPx) - SPARE)
  const to = Math.min(total, Math.ceil((top + height) / rowPx) + SPARE)
  const stop = Math.min(current, Math.max(0, total - 1))
  // The one that has the place in the order of tabs is drawn, also out of sight.
  const drawn = [...new Set([stop, ...Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)])]
    .filter((index) => index < total)
    .sort((a, b) => a - b)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    box.current?.scrollTo({ top: 0 })
    setCurrent(0)
  }, [of])
  useEffect(() => onShown?.(from, to), [from, to, of, total])
  useLayoutEffect(() => {
    if (wanted.current === null) return
    focusRow(box.current, wanted.current)
    // One that is not loaded yet is drawn anew when it is.
    if (keyAt(wanted.current) !== undefined) wanted.current = null
  })

  const move = (index: number) => {
    const next = Math.min(Math.max(0, index), total - 1)
    const element = box.current
    if (element === null || next < 0) return
    if (next * rowPx < element.scrollTop) element.scrollTop = next * rowPx
    const below = (next + 1) * rowPx - element.clientHeight
    if (below > element.scrollTop) element.scrollTop = below
    wanted.current = next
    setCurrent(next)
    setTop(element.scrollTop)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = Number(
      (event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset["row"] ?? Number.NaN,
    )
    if (Number.isNaN(at) || event.altKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor(height / rowPx))
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }
    const step =
      steps[event.key] ?? (event.key === "Home" ? -at : event.key === "End" ? total - 1 - at : undefined)
    if (step !== undefined) move(at + step)
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
      onSide?.(event.key === "ArrowRight" ? 1 : -1, at)
    else return
    event.preventDefault()
  }
  return (
    <div class={`virtual ${name}`} ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <ul
        class="virtual-rows"
        aria-label={label}
        onKeyDown={onKeyDown}
        style={{ height: `${total * rowPx}px` }}
      >
        {drawn.map((index) => (
          <li
            key={keyAt(index) ?? `row-${index}`}
            class="virtual-row"
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{ height: `${rowPx}px`, transform: `translateY(${index * rowPx}px)` }}
            onFocusCapture={() => {
              if (wanted.current !== index) wanted.current = null
              setCurrent(index)
            }}
          >
            {row(index, { "data-row": index, "data-key": keyAt(index), tabIndex: index === stop ? 0 : -1 })}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Of a list that stands beside another one. */
export function focusRow(list: Element | null, index: number): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])]
  const row = rows.find((each) => Number(each.dataset["row"]) === index) ?? rows.at(-1)
  row?.focus({ preventScroll: true })
}

const SPARE = 6
