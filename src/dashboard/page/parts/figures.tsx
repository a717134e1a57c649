import { percent, short } from "./format.tsx"

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
  look?: "area" | "dashed"
}

interface Plotted {
  title: string
  summary: string
  /** The turn number of each point. A fraction is a point within the turn. */
  x: readonly number[]
  lines: readonly Line[]
  format(value: number): string
  onChoose(turn: number): void
}

export function Plot({ title, summary, x, lines, format, onChoose }: Plotted) {
  const [first = 1, last = 1] = [x[0], x.at(-1)]
  const values = lines.flatMap((line) => line.values.map((value) => value ?? 0))
  const top = Math.max(...values, SMALLEST_TOP)
  const placed = ({ values: all }: Line) =>
    all.flatMap((value, at) => {
      const across = ((x[at] ?? first) - first) / Math.max(1, last - first)
      return value === null ? [] : [{ x: across * WIDTH, y: HEIGHT - (value / top) * HEIGHT }]
    })
  const choose = (event: MouseEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    const at = first + ((event.clientX - left) / width) * (last - first)
    onChoose(Math.max(Math.ceil(first), Math.min(Math.floor(last), Math.round(at))))
  }
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>
        {lines.map(({ label, tone, look }) => (
          <span key={label} class={`key tone-${tone} ${look === "dashed" ? "is-dashed" : ""}`}>
            {label}
          </span>
        ))}
      </figcaption>
      <div class="plot-scale quiet number">
        <span>{format(top)}</span>
        <span>{format(top / 2)}</span>
        <span>{format(0)}</span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list of turns below does the same by keyboard */}
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
        onClick={choose}
      >
        <path class="plot-grid" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
        {lines.map((line) => {
          const points = placed(line)
          const path = points.map((point, at) => `${at === 0 ? "M" : "L"}${point.x} ${point.y}`).join("")
          return (
            <g key={line.label} class={`tone-${line.tone}`}>
              {line.look === "area" && points.length > 1 && (
                <path class="plot-area" d={`${path}V${HEIGHT}H${points[0]?.x}z`} />
              )}
              {/* The tiny last segment makes a single point visible, because it ends in a round cap. */}
              <path class={line.look === "dashed" ? "plot-line is-dashed" : "plot-line"} d={`${path}h0.01`} />
            </g>
          )
        })}
      </svg>
      <p class="plot-turns quiet number">
        <span>turn {Math.floor(first)}</span>
        <span>{Math.floor(last)}</span>
      </p>
    </figure>
  )
}

const WIDTH = 600
const HEIGHT = 150
/** The smallest top of the scale. It avoids a division by zero if all values are 0. */
const SMALLEST_TOP = 0.0001
