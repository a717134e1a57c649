import { useEffect, useRef, useState } from "preact/hooks"
import { usePanZoom } from "./pan-zoom.ts"
import { type Box, fitted, moved, nearestIn, zoomed } from "./view-box.ts"
import { ZoomButtons } from "./zoom-buttons.tsx"

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
  /** Lines leave below and arrive above, not at the sides. */
  isDown: boolean
  onOpen(id: string): void
}

/** Boxes and arrows that one can move, zoom and walk through with the arrow keys. */
export function Diagram({ label, width, height, nodes, lines, isDown, onOpen }: Drawing) {
  const svg = useRef<SVGSVGElement>(null)
  const [box, setBox] = useState<Box | null>(null)
  const [current, setCurrent] = useState<string | null>(null)
  const stop = nodes.find(({ id }) => id === current) ?? nodes.find(({ isChosen }) => isChosen) ?? nodes[0]
  const size = () => svg.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 800, 500)
  const shown = box ?? { x: 0, y: 0, width, height }
  const { handlers, hasMoved } = usePanZoom(svg, shown, setBox)

  useEffect(() => setBox(fitted(width, height, size(), stop)), [width, height])

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
  return (
    <div class="diagram">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no fieldset */}
      <svg
        ref={svg}
        viewBox={`${shown.x} ${shown.y} ${shown.width} ${shown.height}`}
        role="group"
        aria-label={label}
        onKeyDown={onKeyDown}
        {...handlers}
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
            d={pathOf(points, isDown)}
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
            onClick={() => !hasMoved() && onOpen(node.id)}
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
      <ZoomButtons
        onZoom={(by) => setBox(zoomed(shown, by, MIDDLE))}
        onFit={() => setBox(fitted(width, height, size(), undefined))}
      />
    </div>
  )
}

/** From point to point in soft turns that leave and arrive straight. */
function pathOf(points: readonly { x: number; y: number }[], isDown: boolean): string {
  const [first, ...rest] = points
  if (first === undefined) return ""
  const parts = rest.map((point, at) => {
    const from = points[at] ?? first
    if (isDown) {
      const middle = (from.y + point.y) / 2
      return `C${from.x} ${middle} ${point.x} ${middle} ${point.x} ${point.y}`
    }
    const middle = (from.x + point.x) / 2
    return `C${middle} ${from.y} ${middle} ${point.y} ${point.x} ${point.y}`
  })
  return `M${first.x} ${first.y}${parts.join("")}`
}

const MIDDLE = { x: 0.5, y: 0.5 }
