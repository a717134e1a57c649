import { useEffect, useRef, useState } from "preact/hooks"
import { Icon } from "./icon.tsx"
import { type Box, fitted, moved, nearestIn, zoomed } from "./view-box.ts"

interface Node {
  id: string
  x: number
  y: number
  width: number
  height: number
  title: string
  note: string
  tone: string
  isChosen: boolean
}

interface Drawing {
  label: string
  width: number
  height: number
  nodes: readonly Node[]
  lines: readonly { id: string; points: readonly { x: number; y: number }[]; isDashed: boolean }[]
  onOpen(id: string): void
}

/** Boxes and arrows that one can move, zoom and walk through with the arrow keys. */
export function Diagram({ label, width, height, nodes, lines, onOpen }: Drawing) {
  const svg = useRef<SVGSVGElement>(null)
  const [box, setBox] = useState<Box | null>(null)
  const [current, setCurrent] = useState<string | null>(null)
  const drag = useRef<{ x: number; y: number; hasMoved: boolean } | null>(null)
  const stop = nodes.find(({ id }) => id === current) ?? nodes.find(({ isChosen }) => isChosen) ?? nodes[0]
  const size = () => svg.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 800, 500)
  const shown = box ?? { x: 0, y: 0, width, height }
  const scale = () => shown.width / Math.max(1, size().width)

  useEffect(() => setBox(fitted(width, height, size(), stop)), [width, height])
  useEffect(() => {
    const element = svg.current
    if (element === null) return
    // Not passive: the page must not scroll while one zooms.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const rect = element.getBoundingClientRect()
      const at = { x: (event.clientX - rect.x) / rect.width, y: (event.clientY - rect.y) / rect.height }
      setBox((before) => zoomed(before ?? shown, event.deltaY > 0 ? 1.15 : 1 / 1.15, at))
    }
    element.addEventListener("wheel", onWheel, { passive: false })
    return () => element.removeEventListener("wheel", onWheel)
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.key === "Enter" || event.key === " ") && stop !== undefined) onOpen(stop.id)
    else if (event.key === "+" || event.key === "-")
      setBox(zoomed(shown, event.key === "+" ? 0.8 : 1.25, MIDDLE))
    else {
      const next = stop === undefined ? undefined : nearestIn(nodes, stop, event.key)
      if (next === undefined) return
      setCurrent(next.id)
      setBox(moved(shown, next))
      requestAnimationFrame(() =>
        svg.current?.querySelector<SVGElement>('[tabindex="0"]')?.focus({ preventScroll: true }),
      )
    }
    event.preventDefault()
  }
  const onPointerMove = (event: PointerEvent) => {
    const from = drag.current
    if (from === null) return
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y]
    if (!from.hasMoved && Math.hypot(dx, dy) < 4) return
    drag.current = { x: event.clientX, y: event.clientY, hasMoved: true }
    setBox({ ...shown, x: shown.x - dx * scale(), y: shown.y - dy * scale() })
  }
  return (
    <div class="diagram">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no fieldset */}
      <svg
        ref={svg}
        viewBox={`${shown.x} ${shown.y} ${shown.width} ${shown.height}`}
        role="group"
        aria-label={label}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, hasMoved: false }
        }}
        onPointerMove={onPointerMove}
        onPointerUp={() => setTimeout(() => (drag.current = null))}
        onPointerLeave={() => {
          drag.current = null
        }}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0.5L7.5 4L0 7.5z" />
          </marker>
        </defs>
        {lines.map(({ id, points, isDashed }) => (
          <path
            key={id}
            class={isDashed ? "edge is-part" : "edge"}
            d={pathOf(points)}
            marker-end="url(#arrow)"
          />
        ))}
        {nodes.map((node) => (
          // biome-ignore lint/a11y/useSemanticElements: a drawing has no button
          <g
            key={node.id}
            class={`node tone-${node.tone} ${node.isChosen ? "is-chosen" : ""}`}
            transform={`translate(${node.x} ${node.y})`}
            role="button"
            aria-label={`${node.title}. ${node.note}`}
            tabIndex={node.id === stop?.id ? 0 : -1}
            data-key={node.id}
            onFocus={() => setCurrent(node.id)}
            onClick={() => drag.current?.hasMoved !== true && onOpen(node.id)}
          >
            <rect width={node.width} height={node.height} rx="8" />
            <rect class="node-edge" width="4" height={node.height - 16} x="6" y="8" rx="2" />
            <foreignObject x="18" y="4" width={node.width - 26} height={node.height - 8}>
              <div class="node-text">
                <span class="node-title">{node.title}</span>
                <span class="node-note">{node.note}</span>
              </div>
            </foreignObject>
          </g>
        ))}
      </svg>
      <div class="diagram-buttons">
        <button
          type="button"
          class="icon-button"
          aria-label="Zoom in"
          onClick={() => setBox(zoomed(shown, 0.8, MIDDLE))}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Zoom out"
          onClick={() => setBox(zoomed(shown, 1.25, MIDDLE))}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Show all"
          onClick={() => setBox(fitted(width, height, size(), undefined))}
        >
          <Icon name="fit" />
        </button>
      </div>
    </div>
  )
}

/** From point to point in soft turns that leave and arrive level. */
function pathOf(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ""
  const parts = rest.map((point, at) => {
    const from = points[at] ?? first
    const middle = (from.x + point.x) / 2
    return `C${middle} ${from.y} ${middle} ${point.y} ${point.x} ${point.y}`
  })
  return `M${first.x} ${first.y}${parts.join("")}`
}

const MIDDLE = { x: 0.5, y: 0.5 }
