import { createHash } from "node:crypto"
import { closeSync, readSync } from "node:fs"
import type { Pausing } from "../../shared/slices.ts"
import { openSync } from "../files/hive-fs.ts"
import { follow } from "./follower.ts"
import type { SegmentSum } from "./line.ts"
import { segmentPath } from "./segments.ts"

export function* sumSegment(folder: string, segment: number): Pausing<SegmentSum | undefined> {
  let bytes = 0
  for (const found of follow(folder, { segment, offset: 0 }, { isWanted: () => false, stopAtSeal: true })) {
    if (found?.line.what === "seal") bytes = found.position.offset
    yield
  }
  if (bytes === 0) return undefined
  return { segment, bytes, sums: (yield* sumBlocks(segmentPath(folder, segment), bytes)).join("") }
}

/** Returns the byte range of the first changed block, or undefined. */
export function* changedRange(
  folder: string,
  { segment, bytes, sums }: SegmentSum,
): Pausing<{ from: number; to: number } | undefined> {
  const length = blockLength(bytes)
  const now = yield* sumBlocks(segmentPath(folder, segment), bytes)
  const at = now.findIndex((sum, n) => sum !== sums.slice(n * SUM_CHARS, (n + 1) * SUM_CHARS))
  return at < 0 ? undefined : { from: at * length, to: Math.min((at + 1) * length, bytes) }
}

function* sumBlocks(path: string, bytes: number): Pausing<string[]> {
  const sums: string[] = []
  const block = Buffer.alloc(blockLength(bytes))
  const fd = openSync(path, "r")
  try {
    for (let at = 0; at < bytes; at += block.length) {
      const count = readSync(fd, block, 0, Math.min(block.length, bytes - at), at)
      sums.push(createHash("sha1").update(block.subarray(0, count)).digest("hex").slice(0, SUM_CHARS))
      yield
    }
  } finally {
    closeSync(fd)
  }
  return sums
}

/** Blocks contain a few lines. A very long segment has longer blocks, which limits their number. */
function blockLength(bytes: number): number {
  return Math.max(MIN_BLOCK_BYTES, 2 ** Math.ceil(Math.log2(bytes / MAX_BLOCKS)))
}

const MIN_BLOCK_BYTES = 1 << 12
const MAX_BLOCKS = 256
const SUM_CHARS = 6
