import { close, read } from "node:fs"
import { promisify } from "node:util"
import { openSync } from "./hive-fs.ts"

const readPiece = promisify<number, Buffer, number, number>((fd, into, at, done) =>
  read(fd, into, 0, into.length, at, done),
)
const closeFile = promisify(close)

/** A file that is read in pieces, from anywhere in it. */
export interface OpenFile {
  /** So many bytes from there on, or what there is of them. */
  read: (at: number, bytes: number) => Promise<string>
  close: () => Promise<void>
}

/** Opens a file, which is only read. */
export async function openToRead(path: string): Promise<OpenFile> {
  const fd = openSync(path, "r")
  return {
    async read(at, bytes) {
      const buffer = Buffer.alloc(bytes)
      return buffer.toString("utf8", 0, await readPiece(fd, buffer, at))
    },
    close: () => closeFile(fd),
  }
}
