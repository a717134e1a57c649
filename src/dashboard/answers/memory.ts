import { ALL } from "../../graph/indexes.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { Hive } from "../../hive/hive.ts"
import { recallKnown } from "../../knowledge/recall/recall-known.ts"
import { memKind } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { linksOf } from "../../views/inspect/links-of.ts"
import { listMemRows, memDetail } from "../../views/look/mems.ts"
import type { MemoryItem, MemoryView, MemView } from "./model.ts"

interface MemoryWanted {
  q: string
  kind: string
  shelf: string
  page: number
}

/** What is known about some words, by the same engine and with the same reasons as an agent gets it; else the newest. */
export async function memoryAnswer(hive: Hive, { q, kind, shelf, page }: MemoryWanted): Promise<MemoryView> {
  const wanted = memKind.safeParse(kind).data
  const shelves = shelvesOf(hive)
  if (q.trim() !== "") {
    const limit = shelf === "" ? MAX_RECALLED : MAX_SIFTED
    const options = { limit, ...(wanted !== undefined && { kinds: [wanted] }) }
    const known = await recallKnown(hive, q.slice(0, MAX_QUERY), options)
    const mems = known.mems.filter(({ mem }) => shelf === "" || mem.shelf === shelf).slice(0, MAX_RECALLED)
    // A task lies on no shelf.
    const failed = shelf === "" ? known.failed : []
    const items = [
      ...mems.map(({ mem, why, isArchived }): MemoryItem => ({ ...itemOf(mem), why, isArchived })),
      ...failed.map(
        ({ task, why }): MemoryItem => ({
          id: task.id,
          short: shortId(task.id),
          kind: "failed task",
          content: task.reason === null ? task.title : `${task.title}: ${task.reason}`,
          why,
          at: task.updated_at,
          isArchived: false,
          status: null,
          shelf: null,
          tags: [],
        }),
      ),
    ]
    return { items, total: items.length, more: 0, shelves }
  }
  const filter = { ...(wanted !== undefined && { kind: wanted }), ...(shelf !== "" && { shelf }) }
  const found = listMemRows(hive, filter, { limit: PAGE, page })
  return { ...found, items: found.items.map((mem) => ({ ...itemOf(mem), why: null })), shelves }
}

/** One mem with what it is linked with. */
export function memAnswer(hive: Hive, id: string): MemView {
  const detail = memDetail(hive, id)
  const { state } = hive.store.read()
  const names = recordNames(state)
  const { to, from } = linksOf(state, "mem", detail.mem)
  const linked = (direction: "to" | "from") => (link: (typeof to)[number]) => ({
    id: link.id,
    kind: link.kind,
    title: names.titleOf(link.id) ?? shortId(link.id),
    field: link.field,
    direction,
  })
  return { ...detail, links: [...to.map(linked("to")), ...from.map(linked("from"))].slice(0, MAX_LINKS) }
}

function itemOf(mem: {
  id: string
  kind: MemoryItem["kind"]
  content: string
  created_at: string
  status: MemoryItem["status"]
  shelf: string
  tags: string[]
}): Omit<MemoryItem, "why"> {
  const { id, kind, content, created_at, status, shelf, tags } = mem
  return { id, short: shortId(id), kind, content, at: created_at, isArchived: false, status, shelf, tags }
}

function shelvesOf(hive: Hive): string[] {
  const shelves = new Set<string>()
  for (const { shelf } of hive.store.read().state.mem.by("in_force", ALL)) shelves.add(shelf)
  return [...shelves].sort()
}

const MAX_RECALLED = 50
// Of so many, those of one shelf.
const MAX_SIFTED = 1000
const MAX_QUERY = 400
const MAX_LINKS = 60
const PAGE = 100
