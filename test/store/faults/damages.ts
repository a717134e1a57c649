/** A way to damage bytes. `at` is an offset, `pick` returns a number below another. */
type Damage = (bytes: Buffer, at: number, pick: (below: number) => number) => Buffer

const damages: Readonly<Record<string, Damage>> = {
  "a bit flipped": (bytes, at, pick) => changed(bytes, at, (byte) => byte ^ (1 << pick(8))),
  "a byte changed": (bytes, at, pick) => changed(bytes, at, () => pick(256)),
  "a letter changed": (bytes, at, pick) => changed(bytes, at, () => LETTERS.charCodeAt(pick(LETTERS.length))),
  "bytes cut out": (bytes, at, pick) =>
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + pick(200))]),
  "zeros written over": (bytes, at, pick) =>
    Buffer.concat([
      bytes.subarray(0, at),
      Buffer.alloc(Math.min(1 + pick(64), bytes.length - at)),
      bytes.subarray(at + 64),
    ]),
  "the end cut off": (bytes, at) => bytes.subarray(0, at),
  "bytes put in": (bytes, at, pick) =>
    inserted(bytes, at, Buffer.from(Array.from({ length: 1 + pick(16) }, () => pick(256)))),
  "letters put in": (bytes, at, pick) =>
    inserted(bytes, at, Buffer.from(LETTERS.slice(pick(20), 21 + pick(20)))),
  "a piece put in twice": (bytes, at, pick) =>
    inserted(bytes, at, bytes.subarray(pick(bytes.length)).subarray(0, 1 + pick(400))),
  "a newline put in": (bytes, at) => inserted(bytes, at, Buffer.from("\n")),
}

export function damageOf(bytes: Buffer, random: () => number): { what: string; bytes: Buffer } {
  const pick = (below: number) => Math.floor(random() * below)
  const names = Object.keys(damages)
  const name = names[pick(names.length)] ?? ""
  const at = pick(bytes.length)
  return { what: `${name} at ${at}`, bytes: damages[name]?.(bytes, at, pick) ?? bytes }
}

function changed(bytes: Buffer, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = change(copy[at] ?? 0)
  return copy
}

function inserted(bytes: Buffer, at: number, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])
}

const LETTERS = 'abcdef0123456789{}[]",: nul\\ntrue-'
