import type { Family, Shelf } from "../knowledge/memory/tree.ts"
import type { Hit } from "../knowledge/recall/recall.ts"
import type { FoundSymbol } from "../project/codemap/symbols.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Task } from "../schemas/task.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"

export function hitView({ mem, why, isArchived, replaces }: Hit) {
  return {
    id: shortId(mem.id),
    kind: mem.kind,
    content: shorten(mem.content, MAX_CONTENT),
    why,
    ...(mem.status !== "active" && { status: mem.status }),
    ...(mem.reason !== null && { reason: shorten(mem.reason, MAX_BRIEF) }),
    ...(isArchived && { archived: true }),
    ...(replaces !== null && { replaced: brief(replaces) }),
  }
}

export function failedView({ id, title, reason }: Task) {
  return { id: shortId(id), title: shorten(title, MAX_BRIEF), reason: shorten(reason ?? "", MAX_CONTENT) }
}

/** Where a name of the code is, and what it looks like. */
export function symbolView({ file, line, name, signature }: FoundSymbol): string {
  return `${file}:${line} ${signature ?? name}`
}

export function listed(mems: readonly Mem[]) {
  const shown = mems.slice(0, LIST_LIMIT)
  return {
    count: mems.length,
    mems: shown.map(({ id, shelf: on, kind, content }) => ({ id, shelf: on, kind, content })),
  }
}

function brief({ id, content }: Mem): string {
  return `${shortId(id)} ${shorten(content, MAX_BRIEF)}`
}

export function shelfView({ shelf, kinds }: Shelf) {
  const counted = kinds.map(
    ({ kind, count, newest }) => [kind, { count, newest: newest.map(brief) }] as const,
  )
  return { shelf, ...Object.fromEntries(counted) }
}

export function familyView({ mem, count, parts }: Family) {
  return { of: brief(mem), count, parts: parts.map(brief) }
}

const LIST_LIMIT = 50
const MAX_CONTENT = 500
const MAX_BRIEF = 100
