import { open } from "./hive-fs.ts"

/** A file that is read in pieces, from anywhere in it. */
export interface OpenFile {
  /** So many bytes from there on, or what there is of them. */
  read: (at: number, bytes: number) => Promise<string>
  close: () => Promise<void>
}

/** Opens a file, which is only read. */
export async function openToRead(path: string): Promise<OpenFile> {
  const file = await open(path, "r")
  return {
    async read(at, bytes) {
      const buffer = Buffer.alloc(bytes)
      const { bytesRead } = await file.read(buffer, 0, bytes, at)
      return buffer.toString("utf8", 0, bytesRead)
    },
    close: () => file.close(),
  }
}
