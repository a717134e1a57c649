import { contentForModel } from "../knowledge/memory/by-rule.ts"
import { flagMem, linkMem, memFlag, memLink, memPurge, purgeMems } from "../knowledge/memory/change.ts"
import {
  countAccess,
  listMems,
  memTree,
  recallQuery,
  type Shelf,
  staleMems,
} from "../knowledge/memory/find.ts"
import { newMem, saveAndCompare } from "../knowledge/memory/save.ts"
import type { Hit } from "../knowledge/recall/recall.ts"
import type { FoundSymbol } from "../project/codemap/answers.ts"
import { type Mem, shelf } from "../schemas/knowledge.ts"
import type { Task } from "../schemas/task.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { action, defineTool } from "./tool.ts"

export const memoryTool = defineTool(
  "memory",
  "Keep decisions, facts and what failed beyond this conversation. save: one thing; evidence: path or path:line. recall: what is known, by words. flag: a mem was wrong. purge: delete one, or all stale.",
  {
    save: action(newMem.shape, async (hive, caller, args) => {
      const { mem, replaced, conflicts } = await saveAndCompare(hive, caller, args)
      return {
        entity_id: mem.id,
        origin_task_id: mem.origin_task_id,
        stale_at: mem.stale_at,
        ...(replaced.length > 0 && { replaces: replaced.map(brief) }),
        ...(conflicts.length > 0 && {
          may_replace: conflicts.map(brief),
          use_instead: "If it does, save it again with `supersedes`.",
        }),
      }
    }),
    recall: action(recallQuery.omit({ kinds: true }).shape, async (hive, caller, { query, limit }) => {
      const { recallKnown } = await import("../knowledge/recall/recall.ts") // Loaded on the first recall.
      const { mems, failed, notice } = await recallKnown(hive, query, { limit })
      const { symbolsNamed } = await import("../project/codemap/answers.ts")
      const symbols = await symbolsNamed(hive, query)
      const found = mems.filter(({ words }) => words.length > 0).map(({ mem }) => mem)
      // Without the access count, recall still works: on a read-only disk it cannot be written.
      await countAccess(hive, caller, found.slice(0, COUNTED)).catch(() => {})
      const { unreadNotice } = await import("../migrate/automatic.ts")
      const note = (mems.length === 0 ? unreadNotice(hive.home) : undefined) ?? notice
      return {
        count: mems.length,
        mems: mems.map(hitView),
        ...(note !== undefined && { note }),
        ...(symbols.length > 0 && { symbols: symbols.map(symbolView) }),
        ...(failed.length > 0 && { failed_tasks: failed.map(({ task }) => failedView(task)) }),
      }
    }),
    list: action({ shelf: shelf.optional() }, (hive, _caller, args) => listed(listMems(hive, args.shelf))),
    link: action(memLink.shape, async (hive, caller, args) => {
      const { id, related_to } = await linkMem(hive, caller, args)
      return { entity_id: id, related_to: related_to.map(shortId) }
    }),
    flag: action(memFlag.shape, async (hive, caller, args) => {
      const { id, reason } = await flagMem(hive, caller, args)
      return { entity_id: id, reason }
    }),
    stale: action({}, (hive) => listed(staleMems(hive))),
    purge: action(memPurge.shape, async (hive, caller, args) => {
      const ids = await purgeMems(hive, caller, args)
      return { ...(ids[0] !== undefined && { entity_id: ids[0] }), purged: ids.length }
    }),
    tree: action({}, (hive) => {
      const { shelves, families, archived } = memTree(hive, NEWEST)
      const parts = families.map(({ mem, count, parts }) => ({
        of: brief(mem),
        count,
        parts: parts.map(brief),
      }))
      return { archived, tree: shelves.map(shelfView), ...(parts.length > 0 && { parts }) }
    }),
  },
  ["scope", "origin_task_id", "parent_mem_id", "related_to", "shelf", "tags", "ttl_hours", "limit"],
)

// The first hits count as accessed, because the mem that the model needed is most likely among them.
const COUNTED = 3
const NEWEST = 2

function hitView({ mem, why, isArchived, replaces }: Hit) {
  return {
    id: shortId(mem.id),
    kind: mem.kind,
    content: shorten(contentForModel(mem), MAX_CONTENT),
    why,
    ...(mem.status !== "active" && { status: mem.status }),
    ...(mem.reason !== null && { reason: shorten(mem.reason, MAX_BRIEF) }),
    ...(isArchived && { archived: true }),
    ...(replaces !== null && { replaced: brief(replaces) }),
  }
}

function failedView({ id, title, reason }: Task) {
  return { id: shortId(id), title: shorten(title, MAX_BRIEF), reason: shorten(reason ?? "", MAX_CONTENT) }
}

function symbolView({ file, line, name, signature }: FoundSymbol): string {
  return `${file}:${line} ${signature ?? name}`
}

function listed(all: readonly Mem[]) {
  const mems = all.slice(0, LIST_LIMIT).map(({ id, shelf, kind, content }) => ({ id, shelf, kind, content }))
  return { count: all.length, mems }
}

function brief({ id, content }: Mem): string {
  return `${shortId(id)} ${shorten(content, MAX_BRIEF)}`
}

function shelfView({ shelf, kinds }: Shelf) {
  const counted = kinds.map(({ kind, count, newest }) => ({ [kind]: { count, newest: newest.map(brief) } }))
  return Object.assign({ shelf }, ...counted)
}

const LIST_LIMIT = 50
const MAX_CONTENT = 500
const MAX_BRIEF = 100
