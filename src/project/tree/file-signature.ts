import { type BigIntStats, lstatSync } from "node:fs"

/** Changes with every change of a file, without reading it; "" for a missing file. */
export function signatureOf(path: string): { signature: string; stat: BigIntStats | undefined } {
  const stat = lstat(path)
  if (stat === undefined) return { signature: GONE, stat }
  // `ctime` cannot be set back, as `mtime` can.
  const { size, mtimeNs, ctimeNs, ino, mode } = stat
  return { signature: `${size} ${mtimeNs} ${ctimeNs} ${ino} ${mode}`, stat }
}

function lstat(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // A part of the path is no folder, or not readable.
  }
}

export const GONE = ""
