import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { PlanView, TaskRow } from "../../answers/model.ts"
import { amount } from "../parts/amounts.ts"
import { usePanZoom } from "../parts/pan-zoom.ts"
import { type Box, fitted, moved, nearestIn, zoomed } from "../parts/view-box.ts"
import { ZoomButtons } from "../parts/zoom-buttons.tsx"
import { drawMap } from "./draw-map.ts"
import { layOutMap, type MapNode } from "./lay-out-map.ts"

interface Mapped {
  tasks: readonly TaskRow[]
  edges: PlanView["edges"]
  chosen: string | null
  wordOf(status: TaskRow["status"]): string
  onOpen(id: string): void
}

/** All of a large plan at once. Each task can be reached by the arrow keys and is then told in words. */
export function PlanMap({ tasks, edges, chosen, wordOf, onOpen }: Mapped) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const map = useMemo(() => layOutMap(tasks, edges), [tasks, edges])
  const [box, setBox] = useState<Box | null>(null)
  const [current, setCurrent] = useState<string | null>(chosen)
  const [isLooking, setLooking] = useState(false)
  const [, redraw] = useState(0)
  const shown = box ?? { x: 0, y: 0, width: map.width, height: map.height }
  const { handlers, hasMoved } = usePanZoom(canvas, shown, setBox)
  const marked = map.nodes.find(({ task }) => task.id === (chosen ?? current))
  const fit = () => {
    const rect = canvas.current?.getBoundingClientRect()
    if (rect !== undefined) setBox(fitted(map.width, map.height, rect, undefined))
  }

  useEffect(fit, [map.width, map.height])
  useEffect(() => {
    const again = () => redraw((count) => count + 1)
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const observer = new ResizeObserver(again)
    if (canvas.current !== null) observer.observe(canvas.current)
    dark.addEventListener("change", again)
    addEventListener("themechange", again)
    return () => {
      observer.disconnect()
      dark.removeEventListener("change", again)
      removeEventListener("themechange", again)
    }
  }, [])
  useEffect(() => {
    // Many moves may come between two pictures.
    const frame = requestAnimationFrame(() => {
      if (canvas.current !== null) drawMap(canvas.current, map, shown, marked)
    })
    return () => cancelAnimationFrame(frame)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const stop = marked ?? map.nodes[0]
    if ((event.key === "Enter" || event.key === " ") && stop !== undefined) onOpen(stop.task.id)
    else if (event.key === "+" || event.key === "-")
      setBox(zoomed(shown, event.key === "+" ? 0.8 : 1.25, MIDDLE))
    else {
      const next = stop === undefined ? undefined : nearestIn(map.nodes, stop, event.key)
      if (next === undefined) return
      setCurrent(next.task.id)
      setBox(moved(shown, next))
    }
    event.preventDefault()
  }
  return (
    <div class="diagram">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes keys of its own, as an application does */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`Map of ${amount(map.nodes.length)} tasks. Arrow keys go from task to task, Enter opens one.`}
        onKeyDown={onKeyDown}
        onFocus={() => setLooking(true)}
        onBlur={() => setLooking(false)}
        onClick={(event) => {
          const hit = hasMoved() ? undefined : nodeAt(map.nodes, shown, event)
          if (hit === undefined) return
          setCurrent(hit.task.id)
          onOpen(hit.task.id)
        }}
        {...handlers}
      />
      <p class={isLooking && marked !== undefined ? "map-word" : "unseen"} role="status">
        {isLooking && marked !== undefined && `${marked.task.title}. ${wordOf(marked.task.status)}`}
      </p>
      <ZoomButtons onZoom={(by) => setBox(zoomed(shown, by, MIDDLE))} onFit={fit} />
    </div>
  )
}

function nodeAt(nodes: readonly MapNode[], box: Box, event: MouseEvent): MapNode | undefined {
  const rect = (event.currentTarget as Element).getBoundingClientRect()
  const x = box.x + ((event.clientX - rect.x) / rect.width) * box.width
  const y = box.y + ((event.clientY - rect.y) / rect.height) * box.height
  return nodes.find(
    (node) => x >= node.x && x <= node.x + node.width && y >= node.y && y <= node.y + node.height,
  )
}

const MIDDLE = { x: 0.5, y: 0.5 }
