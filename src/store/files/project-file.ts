import { createHash } from "node:crypto"
import { join } from "node:path"
import { fileVersion } from "../../shared/lenient-files.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { systemCode } from "../../shared/system-error.ts"
import { existsSync, mkdirSync, readFile } from "./hive-fs.ts"
import { parseJson } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"
import { replaceFile } from "./write-file.ts"

/** The result of a project scan, with one value per line, so that damage costs one value. It can be deleted. */
export function projectFile(paths: HivePaths, name: "map" | "codemap", at: { home: string; dir: string }) {
  const folder = createHash("sha256").update(at.dir).digest("hex").slice(0, 8)
  const path = join(paths.project, at.dir === at.home ? `${name}.json` : `${name}-${folder}.json`)
  const written = new WeakMap<object, Buffer>()

  /** Renders a JSON list in pieces, because joining a large one would block the event loop. */
  function* toText(values: Iterable<object>, isFinal: (value: object) => boolean): Pausing<Buffer[]> {
    const pieces: Buffer[] = []
    let parts: Buffer[] = [START]
    let bytes = 0
    for (const value of values) {
      yield
      const line = written.get(value) ?? Buffer.from(JSON.stringify(maskAll(value)))
      if (isFinal(value)) written.set(value, line)
      parts.push(bytes === 0 ? FIRST : NEXT, line)
      bytes += line.length
      if (bytes < (pieces.length + 1) * PIECE_BYTES) continue
      pieces.push(Buffer.concat(parts))
      parts = []
    }
    parts.push(bytes === 0 ? EMPTY : LAST)
    return [...pieces, Buffer.concat(parts)]
  }

  return {
    path,
    exists: (): boolean => existsSync(path),
    version: (): string => fileVersion(path),
    async read(): Promise<unknown[] | undefined> {
      try {
        return await runInSlices(parseLines(await readFile(path)))
      } catch (error) {
        if (systemCode(error) === undefined) throw error
        return undefined
      }
    },
    /** Returns false if there is no hive or it is not writable. Values that are `isFinal` never change: caches their lines. */
    async write(
      values: Iterable<object>,
      isFinal: (value: object) => boolean = () => false,
    ): Promise<boolean> {
      if (!existsSync(paths.graph)) return false
      const text = await runInSlices(toText(values, isFinal))
      try {
        mkdirSync(paths.project)
        await replaceFile(path, text)
        return true
      } catch (error) {
        if (systemCode(error) === undefined) throw error
        return false
      }
    },
  }
}

/** Skips damaged lines; the next scan reads the files that they described. */
function* parseLines(bytes: Buffer): Pausing<unknown[]> {
  const values: unknown[] = []
  for (let at = 0; at < bytes.length; ) {
    yield
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? bytes.length : newline
    const line = bytes.toString("utf8", at, end)
    at = end + 1
    const value = line.startsWith("{") ? parseJson(line.replace(/,$/, "")) : undefined
    if (value !== undefined) values.push(value)
  }
  return values
}

const NEWLINE = 10
const START = Buffer.from("[")
const FIRST = Buffer.from("\n")
const NEXT = Buffer.from(",\n")
const LAST = Buffer.from("\n]\n")
const EMPTY = Buffer.from("]\n")
const PIECE_BYTES = 1 << 20
