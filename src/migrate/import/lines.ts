import { createReadStream } from "node:fs"
import type { OpenFile } from "../../store/files/read-at.ts"

/** A line of a file, and where it is. */
export interface Line {
  number: number
  at: number
  bytes: number
  /** Undefined where the line is too long to be one record. */
  text: string | undefined
}

/** The lines of a file that are not empty, one at a time: a file may be larger than memory. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let number = 0
  let at = 0
  let bytes = 0
  let parts: Buffer[] = []
  const add = (part: Buffer) => {
    bytes += part.length
    if (bytes <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  const take = (): Line | undefined => {
    number++
    const text = bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString("utf8")
    const line = { number, at, bytes, text: number === 1 ? text?.replace(/^\ufeff/, "") : text }
    at += bytes + 1
    bytes = 0
    parts = []
    return line.text?.trim() === "" ? undefined : line
  }
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end))
      from = end + 1
      const line = take()
      if (line !== undefined) yield line
    }
    // A copy: the chunk's memory is used again.
    if (from < chunk.length) add(Buffer.from(chunk.subarray(from)))
  }
  const last = bytes > 0 ? take() : undefined
  if (last !== undefined) yield last
}

/** One line again. */
export async function lineAt(file: OpenFile, { at, bytes }: Pick<Line, "at" | "bytes">): Promise<string> {
  return (await file.read(at, bytes)).replace(/^\ufeff/, "")
}

// The largest records that tools write are some hundred kilobytes long.
const MAX_LINE_BYTES = 4_000_000
const CHUNK_BYTES = 1 << 16
