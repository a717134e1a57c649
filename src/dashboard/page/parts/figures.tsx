import { useEffect, useRef } from "preact/hooks"
import type uPlot from "uplot"
import { percent, short } from "./format.tsx"

/** How full a session's window is, as an arc and in words. */
export function Gauge({ tokens, window, share }: { tokens: number; window: number; share: number }) {
  const { tone, words } = LEVELS.find(({ below }) => share < below) ?? FULL
  return (
    <div class={`gauge tone-${tone}`}>
      <svg viewBox="0 0 120 68" role="img" aria-label={`${percent(share)} of the window is full`}>
        <path class="gauge-track" d={ARC} pathLength="100" />
        <path
          class="gauge-fill"
          d={ARC}
          pathLength="100"
          stroke-dasharray={`${Math.min(1, share) * 100} 100`}
        />
        <text x="60" y="58" text-anchor="middle">
          {percent(share)}
        </text>
      </svg>
      <p class="quiet">
        {short(tokens)} of {short(window)} tokens: {words}
      </p>
    </div>
  )
}

const LEVELS = [
  { below: 0.6, tone: "good", words: "plenty of room" },
  { below: 0.85, tone: "wait", words: "filling up" },
]
const FULL = { tone: "wrong", words: "nearly full" }
const ARC = "M12 60 A48 48 0 0 1 108 60"

interface Line {
  label: string
  values: readonly (number | null)[]
  tone: "work" | "good" | "wait"
  isDashed?: boolean
  /** Filled down to the axis. */
  isArea?: boolean
}

interface Plotted {
  title: string
  /** A description for screen readers. */
  summary: string
  /** Turn numbers; what came within a turn stands between it and the next. */
  x: readonly number[]
  lines: readonly Line[]
  format(value: number): string
  onChoose(index: number): void
}

/** A few lines over the turns of a session. */
export function Plot(plotted: Plotted) {
  const { title, summary, lines } = plotted
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(plotted)
  latest.current = plotted
  const data = JSON.stringify([plotted.x, lines.map(({ values }) => values)])
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let plot: uPlot | undefined
    let isGone = false
    const redraw = async () => {
      // One view alone needs it. Where a browser cannot run it, the numbers still stand in the list.
      nameLanguage()
      const module = await import("uplot").catch(() => null)
      plot?.destroy()
      plot = module === null || isGone ? undefined : draw(module.default, element, latest)
    }
    redraw()
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", redraw)
    addEventListener("themechange", redraw)
    const observer = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    )
    observer.observe(element)
    return () => {
      isGone = true
      dark.removeEventListener("change", redraw)
      removeEventListener("themechange", redraw)
      observer.disconnect()
      plot?.destroy()
    }
  }, [data])
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>
        {lines.map(({ label, tone, isDashed }) => (
          <span key={label} class={`key tone-${tone} ${isDashed === true ? "is-dashed" : ""}`}>
            {label}
          </span>
        ))}
      </figcaption>
      <div ref={place} class="plot-place" role="img" aria-label={summary} />
    </figure>
  )
}

function draw(Plotter: typeof uPlot, element: HTMLElement, latest: { current: Plotted }): uPlot {
  const { x, lines, format } = latest.current
  const grid = { stroke: colourOf(element, "grid"), width: 1 }
  const font = "12px system-ui, sans-serif"
  const axis = { stroke: colourOf(element, "plain"), grid, ticks: { ...grid, size: 4 }, font }
  const series = lines.map(({ label, tone, isDashed, isArea }) => {
    const stroke = colourOf(element, tone)
    return {
      ...{ label, stroke, width: 2, spanGaps: true },
      ...(isDashed === true && { dash: [5, 4] }),
      ...(isArea === true && { fill: stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.13)") }),
      points: { show: x.length < 40, size: 5, fill: stroke },
    }
  })
  const plot = new Plotter(
    {
      ...{ width: element.clientWidth, height: HEIGHT_PX },
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(max * 1.1, 0.0001)] } },
      series: [{}, ...series],
      axes: [
        { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500], size: 30 },
        { ...axis, size: 52, values: (_, ticks) => ticks.map((tick) => format(tick)) },
      ],
    },
    [[...x], ...lines.map(({ values }) => [...values])],
    element,
  )
  plot.over.addEventListener("click", () => {
    if (typeof plot.cursor.idx === "number") latest.current.onChoose(plot.cursor.idx)
  })
  return plot
}

/** Canvas knows no CSS variables, so an element of that tone says which colour it is now. */
function colourOf(element: HTMLElement, tone: string): string {
  const probe = document.createElement("span")
  probe.className = `probe tone-${tone}`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** A browser started without a language calls it `en-US@posix`, and uPlot fails to load with that. */
function nameLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true })
  }
}

const HEIGHT_PX = 190
