import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDecision } from "../../graph/lifecycle.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { Hive } from "../../hive/hive.ts"
import { changedEvidence, evidenceCheck } from "../../knowledge/memory/evidence.ts"
import { recallKnown } from "../../knowledge/recall/recall.ts"
import { type Mem, memKind } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { linksOf } from "../../views/inspect/deep.ts"
import { memDetail } from "../../views/lists/mems.ts"
import { pageWith } from "../../views/lists/page.ts"
import type { MemoryItem, MemoryView } from "./model.ts"

type Wanted = Record<"q" | "kind" | "shelf" | "status", string> & { page: number }

/** Returns the mems of the Memory view: with search words those that recall finds, with reasons; else all, newest first. */
export async function memoryAnswer(hive: Hive, wanted: Wanted): Promise<MemoryView> {
  const { shelf, page } = wanted
  const kind = memKind.safeParse(wanted.kind).data
  const status = STATUSES.find((each) => each === wanted.status)
  const chosen = status && (await memsByStatus(hive, status))
  const { state } = hive.store.read()
  const inForce = [...state.mem.by("in_force", ALL)]
  const shelves = [...new Set(inForce.map((mem) => mem.shelf))].sort()
  if (wanted.q.trim() !== "") {
    const found = await recalled(hive, wanted.q, kind, shelf)
    const among = chosen && new Set(chosen.map(({ id }) => id))
    const items = found.filter(({ id }) => among?.has(id) !== false)
    return { items, total: items.length, more: 0, shelves }
  }
  const mems = (chosen ?? inForce.sort(newestFirst)).filter(
    (mem) => (kind === undefined || mem.kind === kind) && (shelf === "" || mem.shelf === shelf),
  )
  const isArchived = ({ id }: Mem) => !state.mem.has(id)
  const shown = pageWith(mems, { limit: PAGE, page }, (mem) => itemOf(mem, null, isArchived(mem)))
  return { ...shown, shelves }
}

async function recalled(hive: Hive, q: string, kind: Mem["kind"] | undefined, shelf: string) {
  const limit = shelf === "" ? MAX_RECALLED : MAX_SIFTED
  const { mems, failed } = await recallKnown(hive, q.slice(0, MAX_QUERY), {
    limit,
    ...(kind !== undefined && { kinds: [kind] }),
  })
  const onShelf = mems.filter(({ mem }) => shelf === "" || mem.shelf === shelf).slice(0, MAX_RECALLED)
  return [
    ...onShelf.map(({ mem, why, isArchived }) => itemOf(mem, why, isArchived)),
    // A task has no shelf, so failed tasks are left out if a shelf is chosen.
    ...(shelf === "" ? failed.map(({ task, why }) => failedTaskItem(task, why)) : []),
  ]
}

function itemOf(mem: Mem, why: string | null, isArchived: boolean): MemoryItem {
  const { id, kind, content, created_at: at, status, shelf, tags } = mem
  const row = { id, short: shortId(id), kind, content, at, shelf, tags, status, why, isArchived }
  return { ...row, isOpen: isOpenDecision(mem) }
}

function failedTaskItem({ id, title, reason, updated_at: at }: Task, why: string): MemoryItem {
  const content = reason === null ? title : `${title}: ${reason}`
  const row = { id, short: shortId(id), kind: "failed task" as const, content, why, at }
  return { ...row, isArchived: false, status: null, shelf: null, isOpen: false, tags: [] }
}

const newestFirst = (a: Mem, b: Mem): number => compare(b.created_at, a.created_at) || compare(b.id, a.id)

type StatusFilter = (typeof STATUSES)[number]
const STATUSES = ["open", "changed", "invalidated", "superseded"] as const

/** Mems with the wanted status, newest first. Superseded mems are also read from the archive. */
async function memsByStatus(hive: Hive, status: StatusFilter): Promise<Mem[]> {
  const found = await runInSlices(status === "superseded" ? superseded(hive) : hotMems(hive, status))
  return found.sort(newestFirst)
}

function* hotMems({ store, dir }: Hive, status: Exclude<StatusFilter, "superseded">): Pausing<Mem[]> {
  const { mem } = store.read().state
  if (status === "open") return [...mem.by("in_force", ALL)].filter(isOpenDecision)
  if (status === "invalidated") return [...mem.values()].filter((each) => each.status === "invalidated")
  const check = evidenceCheck(dir)
  const changed: Mem[] = []
  for (const each of mem.by("in_force", ALL)) {
    if (each.evidence.length === 0) continue
    if (changedEvidence(each.evidence, check).length > 0) changed.push(each)
    yield
  }
  return changed
}

function* superseded({ store }: Hive): Pausing<Mem[]> {
  const { mem } = store.read().state
  const found = [...mem.values()].filter(({ status }) => status === "superseded")
  for (const each of store.archive.walk((id) => mem.has(id))) {
    if (each === undefined) yield
    else if (each.status === "superseded") found.push(each)
  }
  return found
}

export async function memAnswer(hive: Hive, id: string) {
  const detail = memDetail(hive, id)
  const { state } = hive.store.read()
  const { archive } = hive.store
  const { to, from } = linksOf(state, "mem", detail.mem)
  // A mem that supersedes this one may be superseded itself, and archived.
  const successors = (await archive.naming(detail.mem.id))
    .filter((mem) => mem.supersedes === detail.mem.id && !state.mem.has(mem.id))
    .map((mem): (typeof from)[number] => ({ field: "mem.supersedes", kind: "mem", id: mem.id }))
  const { titleOf } = recordNames(state)
  const anyTitle = (of: string) => {
    const archived = titleOf(of) === undefined ? archive.get(of) : undefined
    return titleOf(of) ?? (archived === undefined ? shortId(of) : `"${shorten(archived.content, MAX_TITLE)}"`)
  }
  const linked = (direction: "to" | "from") => (link: (typeof to)[number]) => ({
    ...{ id: link.id, kind: link.kind, field: link.field, direction },
    title: anyTitle(link.id),
  })
  const links = [...to.map(linked("to")), ...[...from, ...successors].map(linked("from"))]
  return { ...detail, links: links.slice(0, MAX_LINKS) }
}

const MAX_RECALLED = 50
// How many mems are recalled if they are filtered by shelf afterwards.
const MAX_SIFTED = 1000
const MAX_QUERY = 400
const MAX_LINKS = 60
const MAX_TITLE = 60
const PAGE = 100
