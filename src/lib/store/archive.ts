import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import { firstIssue } from "../graph/state.ts"
import type { HivePaths } from "./layout.ts"
import type { Problem } from "./problem.ts"
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
      problems = [broken(`cannot be read: ${error instanceof Error ? error.message : String(error)}`, null)]
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
    const lines = tail.bytes.toString("utf8").split("\n")
    lines.forEach((line, index) => {
      const parsed = parse(line)
      const isLast = index === lines.length - 1
      if (typeof parsed === "object") mems.set(parsed.id, parsed)
      else if (isLast && parsed !== undefined)
        return // Perhaps still being written: read again next time.
      else if (parsed !== undefined) problems.push(broken(parsed, line))
      position += Buffer.byteLength(line) + (isLast ? 0 : 1)
    })
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

/** The mem, why the line is none, or undefined for an empty line. */
function parse(line: string): Mem | string | undefined {
  if (line.trim() === "") return undefined
  try {
    const parsed = memSchema.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data : firstIssue(parsed.error)
  } catch {
    return "the line is not valid JSON"
  }
}

function broken(reason: string, raw: string | null): Problem {
  return { level: "quarantined", file: "graph/archive/mems.jsonl", kind: "mem", id: null, reason, raw }
}
