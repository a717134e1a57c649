import { ALL } from "../../graph/indexes.ts"
import { isOpenDecision } from "../../graph/lifecycle.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { Hive } from "../../hive/hive.ts"
import { recallKnown } from "../../knowledge/recall/recall-known.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { memKind } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { linksOf } from "../../views/inspect/links-of.ts"
import { listMemRows, memDetail } from "../../views/look/mems.ts"
import { pageWith } from "../../views/look/page.ts"
import { memsStanding, standingIn } from "./mem-standing.ts"
import type { MemoryItem, MemoryView, MemView } from "./model.ts"

interface MemoryWanted {
  q: string
  kind: string
  shelf: string
  standing: string
  page: number
}

/** What is known about some words, by the same engine and with the same reasons as an agent gets it; else the newest. */
export async function memoryAnswer(
  hive: Hive,
  { q, kind, shelf, standing, page }: MemoryWanted,
): Promise<MemoryView> {
  const wanted = memKind.safeParse(kind).data
  const shelves = shelvesOf(hive)
  const stands = standingIn(standing)
  const standingSo = stands === undefined ? undefined : await memsStanding(hive, stands)
  const among = standingSo && new Set(standingSo.map(({ id }) => id))
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
          isOpen: false,
          tags: [],
        }),
      ),
    ]
    const wantedItems = items.filter(({ id }) => among?.has(id) !== false)
    return { items: wantedItems, total: wantedItems.length, more: 0, shelves }
  }
  if (standingSo !== undefined) {
    const chosen = standingSo
      .filter((mem) => wanted === undefined || mem.kind === wanted)
      .filter((mem) => shelf === "" || mem.shelf === shelf)
    const isHot = (id: string) => hive.store.read().state.mem.has(id)
    const shown = pageWith(chosen, { limit: PAGE, page }, (mem) => ({
      ...itemOf(mem),
      isArchived: !isHot(mem.id),
      why: null,
    }))
    return { ...shown, shelves }
  }
  const filter = { ...(wanted !== undefined && { kind: wanted }), ...(shelf !== "" && { shelf }) }
  const found = listMemRows(hive, filter, { limit: PAGE, page })
  return { ...found, items: found.items.map((mem) => ({ ...itemOf(mem), why: null })), shelves }
}

/** One mem with what it is linked with. */
export async function memAnswer(hive: Hive, id: string): Promise<MemView> {
  const detail = memDetail(hive, id)
  const { state } = hive.store.read()
  const { archive } = hive.store
  const names = recordNames(state)
  const { to, from } = linksOf(state, "mem", detail.mem)
  // What replaced this one may itself have been replaced, and is in the archive then.
  const successors = (await archive.naming(detail.mem.id))
    .filter((mem) => mem.supersedes === detail.mem.id && !state.mem.has(mem.id))
    .map((mem): (typeof from)[number] => ({ field: "mem.supersedes", kind: "mem", id: mem.id }))
  const linked = (direction: "to" | "from") => (link: (typeof to)[number]) => ({
    id: link.id,
    kind: link.kind,
    title: titleOf(link.id),
    field: link.field,
    direction,
  })
  const titleOf = (of: string) => {
    const archived = names.titleOf(of) === undefined ? archive.get(of) : undefined
    return names.titleOf(of) ?? (archived === undefined ? shortId(of) : `"${shorten(archived.content, 60)}"`)
  }
  const links = [...to.map(linked("to")), ...[...from, ...successors].map(linked("from"))]
  return { ...detail, links: links.slice(0, MAX_LINKS) }
}

function itemOf(mem: {
  id: string
  kind: MemoryItem["kind"]
  content: string
  created_at: string
  status: Mem["status"]
  resolved: Mem["resolved"]
  shelf: string
  tags: string[]
}): Omit<MemoryItem, "why"> {
  const { id, kind, content, created_at, status, shelf, tags } = mem
  const named = { id, short: shortId(id), kind, content, at: created_at, shelf, tags }
  return { ...named, isArchived: false, status, isOpen: isOpenDecision(mem) }
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
