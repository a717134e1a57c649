import { useEffect, useRef } from "preact/hooks"
import type uPlot from "uplot"
import { colourOf } from "./colour-of.ts"

interface Line {
  label: string
  values: readonly (number | null)[]
  /** A colour with a meaning, as everywhere. */
  tone: "work" | "good" | "wait" | "wrong" | "plain"
  isDashed?: boolean
  /** Filled down to the ground. */
  isArea?: boolean
}

interface Plotted {
  title: string
  /** What it shows, for whoever does not see it. */
  summary: string
  /** Turn numbers; what came within a turn stands between it and the next. */
  x: readonly number[]
  lines: readonly Line[]
  format(value: number): string
  onChoose?(index: number): void
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
    const again = async () => {
      // Needed by one view only. Where a browser cannot run it, the numbers still stand in the list.
      nameLanguage()
      const module = await import("uplot").catch(() => null)
      plot?.destroy()
      plot = module === null || isGone ? undefined : draw(module.default, element, latest)
    }
    again()
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", again)
    addEventListener("themechange", again)
    const observer = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    )
    observer.observe(element)
    return () => {
      isGone = true
      dark.removeEventListener("change", again)
      removeEventListener("themechange", again)
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
  const ink = colourOf(element, "plain")
  const grid = { stroke: colourOf(element, "grid"), width: 1 }
  const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: "12px system-ui, sans-serif" }
  const plot = new Plotter(
    {
      width: element.clientWidth,
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: {
        x: { time: false },
        y: { range: (_, __, max) => [0, Math.max(max * 1.1, 0.0001)] },
      },
      series: [
        {},
        ...lines.map(({ label, tone, isDashed, isArea }) => {
          const stroke = colourOf(element, tone)
          return {
            label,
            stroke,
            width: 2,
            spanGaps: true,
            ...(isDashed === true ? { dash: [5, 4] } : {}),
            ...(isArea === true ? { fill: stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.13)") } : {}),
            points: { show: x.length < 40, size: 5, fill: stroke },
          }
        }),
      ],
      axes: [
        { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500], size: 30 },
        { ...axis, size: 52, values: (_, ticks) => ticks.map((tick) => format(tick)) },
      ],
    },
    [[...x], ...lines.map(({ values }) => [...values])],
    element,
  )
  plot.over.addEventListener("click", () => {
    const index = plot.cursor.idx
    if (typeof index === "number") latest.current.onChoose?.(index)
  })
  return plot
}

/** A browser started without a language calls it `en-US@posix`, at which the plots' own code fails as it is loaded. */
function nameLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true })
  }
}

const HEIGHT_PX = 190
