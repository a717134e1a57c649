import { createHash } from "node:crypto"
import { join } from "node:path"
import { maskAll } from "../../shared/secrets/mask.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { systemCode } from "../../shared/system-error.ts"
import { tempNameFor, writeNewFile } from "./atomic-write.ts"
import { existsSync, mkdirSync, readFile, renameSync, rmSync, statSync } from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

/**
 * What was found out about a project's files: `project/map.json`, `project/codemap.json`. Derived and local: it can be
 * deleted at any time, and is no part of the graph. One value per line, so that a large one is read and written in slices
 * and a damaged line costs only itself. A linked worktree has other files than its home, and so a map of its own.
 */
export function projectFile(paths: HivePaths, name: "map" | "codemap", at: { home: string; dir: string }) {
  const path = join(paths.project, at.dir === at.home ? `${name}.json` : `${name}-${shortHash(at.dir)}.json`)

  const written = new WeakMap<object, Buffer>()

  /** A list in JSON, with a line for each value, in pieces: to make one of a large map would take long. */
  function* toText(values: Iterable<object>, final: (value: object) => boolean): Pausing<Buffer[]> {
    const pieces: Buffer[] = []
    let parts: Buffer[] = [START]
    let bytes = 0
    for (const value of values) {
      yield
      const line = written.get(value) ?? Buffer.from(JSON.stringify(maskAll(value)))
      if (final(value)) written.set(value, line)
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
    /** Another one after each write; undefined where there is no such file. */
    version(): string | undefined {
      try {
        const { mtimeMs, size, ino } = statSync(path)
        return `${mtimeMs} ${size} ${ino}`
      } catch {
        return undefined // Not there, or out of reach: then it cannot be read either.
      }
    },
    /** The values in the order they were written; undefined where there is no such file, or none that can be read. */
    async read(): Promise<unknown[] | undefined> {
      try {
        return await runInSlices(parseLines(await readFile(path)))
      } catch (error) {
        if (systemCode(error) === undefined) throw error
        return undefined
      }
    },
    /**
     * Replaces all, in one step, secrets masked; false where the project has no hive, or none to write in. A value that is
     * `final` never changes once it was written: the line that was made of it is used again.
     */
    async write(values: Iterable<object>, final: (value: object) => boolean = () => false): Promise<boolean> {
      if (!existsSync(paths.graph)) return false
      const text = await runInSlices(toText(values, final))
      const temp = tempNameFor(path)
      try {
        mkdirSync(paths.project)
        await writeNewFile(temp, text)
        renameSync(temp, path)
        return true
      } catch (error) {
        if (systemCode(error) === undefined) throw error
        if (existsSync(temp)) rmSync(temp, { force: true })
        return false
      }
    },
  }
}

function* parseLines(bytes: Buffer): Pausing<unknown[]> {
  const values: unknown[] = []
  for (let at = 0; at < bytes.length; ) {
    yield
    const end = bytes.indexOf(NEWLINE, at)
    const line = bytes.toString("utf8", at, end < 0 ? bytes.length : end)
    at = end < 0 ? bytes.length : end + 1
    if (line.startsWith("{")) values.push(...parse(line.replace(/,$/, "")))
  }
  return values
}

function parse(line: string): unknown[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return [] // Damaged: what it told of is looked at again.
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8)
}

const NEWLINE = 10
const START = Buffer.from("[")
const FIRST = Buffer.from("\n")
const NEXT = Buffer.from(",\n")
const LAST = Buffer.from("\n]\n")
const EMPTY = Buffer.from("]\n")
const PIECE_BYTES = 1 << 20
