import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { choose } from "../data/route.ts"
import { Icon } from "./icon.tsx"

interface Opened {
  title: string
  facts: ComponentChildren
  children: ComponentChildren
}

/** A panel beside the view that shows one record. When it closes, the focus goes back to the element that opened it. */
export function Sheet({ title, facts, children }: Opened) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    return () => requestAnimationFrame(giveBackFocus)
  }, [])
  return (
    <div class="sheet" role="dialog" aria-labelledby={id} data-closes="">
      <div class="sheet-head">
        <div class="sheet-title">
          {facts && <p class="meta">{facts}</p>}
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
        </div>
        <button type="button" class="icon-button" aria-label="Close" onClick={closeSheet}>
          <Icon name="close" />
        </button>
      </div>
      <div class="sheet-body">{children}</div>
    </div>
  )
}

/** `what` is `task:<id>` or `mem:<id>`. */
export function openSheet(what: string): void {
  const focused = document.activeElement
  if (focused instanceof Element && focused.closest(".sheet") === null) opener = focused
  choose({ open: what })
}

export function closeSheet(): void {
  // Replaces the history entry, so that the back button does not open the sheet again.
  choose({ open: null }, { replace: true })
}

function giveBackFocus(): void {
  if (document.querySelector(".sheet") !== null) return
  const lost = document.activeElement === null || document.activeElement === document.body
  if (!lost) return
  const target = opener?.isConnected === true ? opener : document.querySelector("h1")
  if (target instanceof HTMLElement || target instanceof SVGElement) target.focus({ preventScroll: true })
}

let opener: Element | null = null
