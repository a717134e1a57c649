import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { type Problem, quarantined } from "../graph/problem.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { readRecord } from "../schemas/op.ts"
import type { HivePaths } from "./layout.ts"
import { readTail } from "./segments.ts"

/**
 * Mems that left the hot set. Read only when asked for; a mem may stand here more than once (a crash in mid-fold,
 * or it came back and left again): the last line counts.
 */
export function openArchive(paths: HivePaths) {
  const path = join(paths.archive, "mems.jsonl")
  let mems = new Map<string, Mem>()
  let problems: Problem[] = []
  let position = 0
  let inode = 0

  const refresh = () => {
    try {
      follow()
    } catch (error) {
      const reason = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
      problems = [quarantined("unreadable", FILE, reason, { kind: "mem" })]
    }
  }

  const follow = () => {
    let tail = readTail(path, position)
    if (tail?.inode !== inode) {
      mems = new Map()
      problems = []
      position = 0
      tail = readTail(path, 0)
    }
    if (tail === undefined) return
    inode = tail.inode
    // Bytes, not characters: a damaged byte reads as a character of another length.
    for (let start = 0; start <= tail.bytes.length; ) {
      const newline = tail.bytes.indexOf(NEWLINE, start)
      const isLast = newline < 0
      const line = tail.bytes.toString("utf8", start, isLast ? tail.bytes.length : newline)
      const { mem, problem } = parse(line)
      // Perhaps still being written: read again next time.
      if (isLast && problem !== undefined) break
      if (mem !== undefined) mems.set(mem.id, mem)
      if (problem !== undefined) problems.push(problem)
      position += (isLast ? tail.bytes.length : newline + 1) - start
      start = isLast ? tail.bytes.length + 1 : newline + 1
    }
  }

  return {
    all(): ReadonlyMap<string, Mem> {
      refresh()
      return mems
    },
    problems(): Problem[] {
      refresh()
      return problems
    },
    has(id: string): boolean {
      refresh()
      return mems.has(id)
    },
    async append(leaving: Mem[]): Promise<void> {
      await mkdir(paths.archive, { recursive: true })
      const file = await open(path, "a")
      try {
        await file.writeFile(leaving.map((mem) => `\n${JSON.stringify(mem)}`).join(""))
        await file.sync()
      } finally {
        await file.close()
      }
    },
  }
}

export type Archive = ReturnType<typeof openArchive>

/** The mem of a line, or what is wrong with it; neither for an empty line. */
function parse(line: string): { mem?: Mem; problem?: Problem } {
  if (line.trim() === "") return {}
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    const reason = "the line is not valid JSON"
    return { problem: quarantined("broken_line", FILE, reason, { kind: "mem", raw: line }) }
  }
  const mem = readRecord("mem", value)
  if (typeof mem !== "string") return { mem }
  return { problem: quarantined("invalid_record", FILE, mem, { kind: "mem", raw: line }) }
}

const FILE = "graph/archive/mems.jsonl"
const NEWLINE = 0x0a
