import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { type Box, zoomed } from "./view-box.ts"

interface Point {
  x: number
  y: number
}

/** Moves what is in sight with one finger or the mouse, and zooms with two fingers or the wheel. */
export function usePanZoom(element: RefObject<Element | null>, shown: Box, setBox: (box: Box) => void) {
  const latest = useRef(shown)
  latest.current = shown
  const pointers = useRef(new Map<number, Point>())
  const hasMoved = useRef(false)
  const show = (box: Box) => {
    // Several moves may come before it is drawn.
    latest.current = box
    setBox(box)
  }

  useEffect(() => {
    const target = element.current
    if (target === null) return
    // Not passive: the page must not scroll while one zooms.
    const onWheel = (event: Event) => {
      const { clientX: x, clientY: y, deltaY } = event as WheelEvent
      event.preventDefault()
      show(zoomed(latest.current, deltaY > 0 ? 1.15 : 1 / 1.15, shareOf({ x, y }, target)))
    }
    target.addEventListener("wheel", onWheel, { passive: false })
    return () => target.removeEventListener("wheel", onWheel)
  }, [])

  const onPointerMove = ({ pointerId, clientX: x, clientY: y }: PointerEvent) => {
    const [target, from] = [element.current, pointers.current.get(pointerId)]
    if (target === null || from === undefined) return
    if (!hasMoved.current && Math.hypot(x - from.x, y - from.y) < STILL_PX) return
    hasMoved.current = true
    pointers.current.set(pointerId, { x, y })
    const other = [...pointers.current].find(([id]) => id !== pointerId)?.[1]
    const perPixel = latest.current.width / Math.max(1, target.getBoundingClientRect().width)
    // With two fingers each one's way counts half: the point between them stays under them.
    const part = other === undefined ? 1 : 0.5
    const moved = {
      ...latest.current,
      x: latest.current.x - (x - from.x) * perPixel * part,
      y: latest.current.y - (y - from.y) * perPixel * part,
    }
    if (other === undefined) return show(moved)
    const far = (point: Point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y))
    const middle = { x: (x + other.x) / 2, y: (y + other.y) / 2 }
    show(zoomed(moved, far(from) / far({ x, y }), shareOf(middle, target)))
  }
  const release = ({ pointerId }: PointerEvent) => {
    pointers.current.delete(pointerId)
  }
  return {
    /** Whether what has just ended was a move, so that its end is no click. */
    hasMoved: () => hasMoved.current,
    handlers: {
      onPointerDown: ({ pointerId, clientX: x, clientY: y }: PointerEvent) => {
        if (pointers.current.size === 0) hasMoved.current = false
        pointers.current.set(pointerId, { x, y })
      },
      onPointerMove,
      onPointerUp: release,
      onPointerCancel: release,
      onPointerLeave: release,
    },
  }
}

/** Where a point of the screen lies in an element, as a share of it. */
function shareOf({ x, y }: Point, target: Element): Point {
  const rect = target.getBoundingClientRect()
  return { x: (x - rect.x) / Math.max(1, rect.width), y: (y - rect.y) / Math.max(1, rect.height) }
}

const STILL_PX = 4
