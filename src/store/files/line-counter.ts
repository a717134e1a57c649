import { readFileSync } from "./hive-fs.ts"

/** Tells the number of the line that holds an offset of a file, for offsets that grow. Reads the file when first asked. */
export function lineCounter(path: string): (offset: number) => number {
  let bytes: Buffer | undefined
  let line = 1
  let counted = 0
  return (offset) => {
    bytes ??= readFileSync(path)
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, counted)
      if (newline < 0 || newline >= offset) return line
      line++
      counted = newline + 1
    }
  }
}

const NEWLINE = 0x0a
