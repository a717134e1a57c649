/** The part of a drawing that is in sight, in the drawing's own units. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

type Size = Pick<Box, "width" | "height">

/** All of it; where that would be too small to read, what is around `centre`. */
export function fitted(width: number, height: number, screen: Size, centre: Box | undefined): Box {
  const ratio = screen.height / Math.max(1, screen.width)
  const whole = Math.max(width, height / ratio, screen.width / MAX_SCALE)
  const wide = centre === undefined ? whole : Math.min(whole, screen.width / MIN_READABLE_SCALE)
  const box = { width: wide, height: wide * ratio }
  if (wide >= whole || centre === undefined)
    return { x: (width - wide) / 2, y: (height - box.height) / 2, ...box }
  const clamp = (value: number, room: number) =>
    Math.min(Math.max(value, Math.min(0, room / 2)), Math.max(room, room / 2))
  return {
    x: clamp(centre.x + centre.width / 2 - wide / 2, width - wide),
    y: clamp(centre.y + centre.height / 2 - box.height / 2, height - box.height),
    ...box,
  }
}

/** `at` stays where it is, as a share of what is in sight. */
export function zoomed(box: Box, by: number, at: { x: number; y: number }): Box {
  const width = Math.min(Math.max(box.width * by, 240), 200_000)
  const factor = width / box.width
  return {
    x: box.x + box.width * at.x * (1 - factor),
    y: box.y + box.height * at.y * (1 - factor),
    width,
    height: box.height * factor,
  }
}

/** Moved just so far that `to` is in sight. */
export function moved(box: Box, to: Box): Box {
  return {
    ...box,
    x: Math.min(Math.max(box.x, to.x + to.width + EDGE - box.width), to.x - EDGE),
    y: Math.min(Math.max(box.y, to.y + to.height + EDGE - box.height), to.y - EDGE),
  }
}

/** The next one in the direction of an arrow key. What is aside counts double. */
export function nearestIn<T extends Box>(all: readonly T[], from: T, key: string): T | undefined {
  const [x, y] = DIRECTIONS[key] ?? [0, 0]
  if (x === 0 && y === 0) return undefined
  const found = all.flatMap((each) => {
    const [dx, dy] = [each.x - from.x, each.y - from.y]
    const ahead = dx * x + dy * y
    return each === from || ahead <= 1 ? [] : [{ each, far: ahead + 2 * Math.abs(dx * y + dy * x) }]
  })
  return found.sort((a, b) => a.far - b.far)[0]?.each
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
}
const MAX_SCALE = 1.1
const MIN_READABLE_SCALE = 0.78
const EDGE = 24
