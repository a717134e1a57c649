import { toneOf } from "../parts/badge.tsx"
import { colourOf } from "../parts/colour-of.ts"
import type { Box } from "../parts/view-box.ts"
import type { MapNode, PlanMapLayout } from "./lay-out-map.ts"

/** Paints what is in sight. From afar a task is a patch of its colour; from near it has its title. */
export function drawMap(
  canvas: HTMLCanvasElement,
  map: PlanMapLayout,
  box: Box,
  marked: MapNode | undefined,
): void {
  const paint = canvas.getContext("2d")
  const holder = canvas.parentElement
  if (paint === null || holder === null) return
  const { clientWidth: width, clientHeight: height } = canvas
  const sharp = Math.min(2, devicePixelRatio)
  // Setting it, even to the same, makes the canvas anew.
  const [wide, high] = [Math.round(width * sharp), Math.round(height * sharp)]
  if (canvas.width !== wide) canvas.width = wide
  if (canvas.height !== high) canvas.height = high
  paint.setTransform(1, 0, 0, 1, 0, 0)
  paint.clearRect(0, 0, wide, high)
  const scale = (width * sharp) / box.width
  paint.setTransform(scale, 0, 0, scale, -box.x * scale, -box.y * scale)
  const colours = coloursOf(holder)
  const isNear = scale / sharp > READABLE

  paint.lineWidth = Math.max(1, sharp / scale)
  // From afar there are too many to follow one.
  paint.globalAlpha = isNear ? 1 : 0.5
  lines(
    paint,
    map.lines.filter(({ from, to, isPart }) => !isPart && meets(box, from, to)),
    colours.line,
    isNear,
  )
  paint.setLineDash([6, 6])
  lines(
    paint,
    map.lines.filter(({ from, to, isPart }) => isPart && meets(box, from, to)),
    colours.line,
    isNear,
  )
  paint.setLineDash([])
  paint.globalAlpha = 1
  if (marked !== undefined) {
    paint.lineWidth = Math.max(2.5, (2 * sharp) / scale)
    lines(
      paint,
      map.lines.filter(({ from, to }) => from === marked || to === marked),
      colours.accent,
      true,
    )
  }
  for (const node of map.nodes) {
    if (!meets(box, node, node)) continue
    const colour = colours.tones[toneOf(node.task.status)] ?? colours.line
    if (isNear) card(paint, node, colour, colours)
    else patch(paint, node, colour)
    if (node !== marked) continue
    paint.strokeStyle = colours.accent
    paint.lineWidth = Math.max(3.5, (3 * sharp) / scale)
    paint.strokeRect(node.x, node.y, node.width, node.height)
  }
}

function lines(
  paint: CanvasRenderingContext2D,
  links: PlanMapLayout["lines"],
  colour: string,
  isCurved: boolean,
): void {
  paint.strokeStyle = colour
  paint.beginPath()
  links.forEach(({ from, to }, at) => {
    const [x, y] = [from.x + from.width, from.y + from.height / 2]
    const [endX, endY] = [to.x, to.y + to.height / 2]
    const middle = (x + endX) / 2
    paint.moveTo(x, y)
    if (isCurved) paint.bezierCurveTo(middle, y, middle, endY, endX, endY)
    else paint.lineTo(endX, endY)
    // One path of thousands of lines takes a browser seconds, as many short ones do not.
    if (at % LINES_PER_PATH !== LINES_PER_PATH - 1) return
    paint.stroke()
    paint.beginPath()
  })
  paint.stroke()
}

function patch(paint: CanvasRenderingContext2D, { x, y, width, height }: MapNode, colour: string): void {
  paint.fillStyle = colour
  paint.fillRect(x, y, width, height)
}

function card(
  paint: CanvasRenderingContext2D,
  { x, y, width, height, task }: MapNode,
  colour: string,
  { surface, line, ink }: Colours,
): void {
  paint.fillStyle = surface
  paint.strokeStyle = line
  paint.lineWidth = 1
  paint.beginPath()
  paint.roundRect(x, y, width, height, 8)
  paint.fill()
  paint.stroke()
  paint.fillStyle = colour
  paint.fillRect(x + 6, y + 8, 4, height - 16)
  paint.fillStyle = ink
  paint.font = "500 14px system-ui, sans-serif"
  const [first, second] = twoLines(task.title)
  paint.fillText(first, x + 18, y + (second === "" ? 42 : 32), width - 26)
  paint.fillText(second, x + 18, y + 52, width - 26)
}

function twoLines(title: string): [string, string] {
  if (title.length <= LINE) return [title, ""]
  const at = title.lastIndexOf(" ", LINE)
  const end = at > LINE / 2 ? at : LINE
  const rest = title.slice(end).trim()
  return [title.slice(0, end), rest.length <= LINE ? rest : `${rest.slice(0, LINE - 1)}…`]
}

/** Whether what lies between two of them can be in sight. */
function meets(box: Box, a: Box, b: Box): boolean {
  return (
    Math.max(a.x + a.width, b.x + b.width) >= box.x &&
    Math.min(a.x, b.x) <= box.x + box.width &&
    Math.max(a.y + a.height, b.y + b.height) >= box.y &&
    Math.min(a.y, b.y) <= box.y + box.height
  )
}

interface Colours {
  surface: string
  line: string
  ink: string
  accent: string
  tones: Readonly<Record<string, string>>
}

/** As they are now; asked for anew when the theme is another one. */
function coloursOf(holder: HTMLElement): Colours {
  const style = getComputedStyle(holder)
  const key = style.backgroundColor
  if (known?.key === key) return known.colours
  const tones = Object.fromEntries(
    ["work", "good", "wait", "wrong", "plain"].map((tone) => [tone, colourOf(holder, tone)]),
  )
  const colours = {
    surface: key,
    line: colourOf(holder, "--line-strong"),
    ink: style.color,
    accent: colourOf(holder, "--accent"),
    tones,
  }
  known = { key, colours }
  return colours
}

let known: { key: string; colours: Colours } | undefined
const LINES_PER_PATH = 40
const READABLE = 0.45
const LINE = 26
