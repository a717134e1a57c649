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
import { listMemRows, memDetail } from "../../views/lists/mems.ts"
import { pageWith } from "../../views/lists/page.ts"
import type { MemoryItem, MemoryView, MemView } from "./model.ts"

interface Wanted {
  q: string
  kind: string
  shelf: string
  standing: string
  page: number
}

/** Recall by words, with the reasons that an agent gets; without words a list of mems, the newest first. */
export async function memoryAnswer(hive: Hive, wanted: Wanted): Promise<MemoryView> {
  const { shelf, page } = wanted
  const kind = memKind.safeParse(wanted.kind).data
  const standing = STANDINGS.find((each) => each === wanted.standing)
  const chosen = standing && (await memsStanding(hive, standing))
  const shelves = shelvesOf(hive)
  if (wanted.q.trim() !== "") {
    const found = await recalled(hive, wanted.q, kind, shelf)
    const among = chosen && new Set(chosen.map(({ id }) => id))
    const items = found.filter(({ id }) => among?.has(id) !== false)
    return { items, total: items.length, more: 0, shelves }
  }
  if (chosen !== undefined) {
    const mems = chosen.filter(
      (mem) => (kind === undefined || mem.kind === kind) && (shelf === "" || mem.shelf === shelf),
    )
    const { state } = hive.store.read()
    const shown = pageWith(mems, { limit: PAGE, page }, (mem) =>
      itemOf(mem, { isArchived: !state.mem.has(mem.id) }),
    )
    return { ...shown, shelves }
  }
  const filter = { ...(kind !== undefined && { kind }), ...(shelf !== "" && { shelf }) }
  const found = listMemRows(hive, filter, { limit: PAGE, page })
  return { ...found, items: found.items.map((mem) => itemOf(mem)), shelves }
}

async function recalled(
  hive: Hive,
  q: string,
  kind: Mem["kind"] | undefined,
  shelf: string,
): Promise<MemoryItem[]> {
  const limit = shelf === "" ? MAX_RECALLED : MAX_SIFTED
  const { mems, failed } = await recallKnown(hive, q.slice(0, MAX_QUERY), {
    limit,
    ...(kind !== undefined && { kinds: [kind] }),
  })
  const onShelf = mems.filter(({ mem }) => shelf === "" || mem.shelf === shelf).slice(0, MAX_RECALLED)
  return [
    ...onShelf.map(({ mem, why, isArchived }) => itemOf(mem, { why, isArchived })),
    // A task has no shelf.
    ...(shelf === "" ? failed.map(({ task, why }) => failedTaskItem(task, why)) : []),
  ]
}

type ListedMem = Pick<
  Mem,
  "id" | "kind" | "content" | "created_at" | "status" | "resolved" | "shelf" | "tags"
>

function itemOf(mem: ListedMem, found: Partial<Pick<MemoryItem, "why" | "isArchived">> = {}): MemoryItem {
  const { id, kind, content, created_at: at, status, shelf, tags } = mem
  const isOpen = isOpenDecision(mem)
  const row = { id, short: shortId(id), kind, content, at, shelf, tags, status, isOpen }
  return { ...row, isArchived: false, why: null, ...found }
}

function failedTaskItem({ id, title, reason, updated_at: at }: Task, why: string): MemoryItem {
  const content = reason === null ? title : `${title}: ${reason}`
  const row = { id, short: shortId(id), kind: "failed task" as const, content, why, at }
  return { ...row, isArchived: false, status: null, shelf: null, isOpen: false, tags: [] }
}

function shelvesOf(hive: Hive): string[] {
  return [...new Set([...hive.store.read().state.mem.by("in_force", ALL)].map(({ shelf }) => shelf))].sort()
}

type Standing = (typeof STANDINGS)[number]
const STANDINGS = ["open", "changed", "invalidated", "superseded"] as const

/** Mems of one standing, the newest first. Superseded ones are looked up in the archive too. */
async function memsStanding(hive: Hive, standing: Standing): Promise<Mem[]> {
  const found = await runInSlices(standing === "superseded" ? superseded(hive) : hotMems(hive, standing))
  return found.sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
}

function* hotMems({ store, dir }: Hive, standing: Exclude<Standing, "superseded">): Pausing<Mem[]> {
  const { mem } = store.read().state
  if (standing === "open") return [...mem.by("in_force", ALL)].filter(isOpenDecision)
  if (standing === "invalidated") return [...mem.values()].filter(({ status }) => status === "invalidated")
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

/** One mem with its links in both directions. */
export async function memAnswer(hive: Hive, id: string): Promise<MemView> {
  const detail = memDetail(hive, id)
  const { state } = hive.store.read()
  const { archive } = hive.store
  const { to, from } = linksOf(state, "mem", detail.mem)
  // Its successor may be superseded itself, and in the archive then.
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
// So many are recalled where only those of one shelf are wanted.
const MAX_SIFTED = 1000
const MAX_QUERY = 400
const MAX_LINKS = 60
const MAX_TITLE = 60
const PAGE = 100
