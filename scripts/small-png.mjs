import { crc32, deflateSync, inflateSync } from "node:zlib"

/** The same picture with at most 256 colours: for pages, whose pictures have few that matter. Takes 8-bit RGB or RGBA. */
export function smallPng(png) {
  const { width, height, pixels } = decode(png)
  const { palette, indexOf } = paletteOf(pixels)
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]))
  const parts = [
    ["IHDR", header],
    ["PLTE", colours],
    ["IDAT", deflateSync(rows, { level: 9, memLevel: 9 })],
    ["IEND", Buffer.alloc(0)],
  ]
  return Buffer.concat([png.subarray(0, 8), ...parts.map(([type, data]) => chunk(type, data))])
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, sum])
}

/** The most frequent colours; each other one becomes the nearest of them. */
function paletteOf(pixels) {
  const counts = new Map()
  for (const rgb of pixels) counts.set(rgb, (counts.get(rgb) ?? 0) + 1)
  const palette = [...counts.entries()]
    .sort((a, b) => b[1] * strength(b[0]) - a[1] * strength(a[0]))
    .slice(0, MAX_COLOURS)
    .map(([rgb]) => rgb)
  const known = new Map(palette.map((rgb, index) => [rgb, index]))
  const indexOf = (rgb) => {
    const there = known.get(rgb)
    if (there !== undefined) return there
    let [best, least] = [0, Number.POSITIVE_INFINITY]
    for (const [index, other] of palette.entries()) {
      const far = distance(rgb, other)
      if (far < least) [best, least] = [index, far]
    }
    known.set(rgb, best)
    return best
  }
  return { palette, indexOf }
}

/** A grey among greys is not missed; a colour says something. */
function strength(rgb) {
  const parts = [16, 8, 0].map((shift) => (rgb >> shift) & 255)
  return 1 + (Math.max(...parts) - Math.min(...parts)) / 16
}

function distance(a, b) {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((a >> shift) & 255) - ((b >> shift) & 255))
  return red * red + green * green + blue * blue
}

function decode(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const size = png[25] === 6 ? 4 : 3
  const data = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * size
  const lines = Buffer.alloc(height * stride)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]
    for (let x = 0; x < stride; x++) {
      const left = x >= size ? lines[y * stride + x - size] : 0
      const up = y > 0 ? lines[(y - 1) * stride + x] : 0
      const corner = x >= size && y > 0 ? lines[(y - 1) * stride + x - size] : 0
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
      lines[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess
    }
  }
  const pixels = new Uint32Array(width * height)
  for (let at = 0; at < pixels.length; at++) {
    pixels[at] = (lines[at * size] << 16) | (lines[at * size + 1] << 8) | lines[at * size + 2]
  }
  return { width, height, pixels }
}

function paeth(left, up, corner) {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

// Letters are drawn in many shades; a few of them are enough.
const MAX_COLOURS = 160
