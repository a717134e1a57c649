import { linksFrom } from "../../graph/links.ts"
import { headOf } from "../../graph/read-head.ts"
import { recordNames } from "../../graph/record-names.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { sessionRecord } from "../../work/session/record.ts"
import { cursorOf, growTree, type Tree, type TreeNode } from "../hierarchy/tree.ts"

/** One record and its surroundings, one line each. Empty lists are left out. */
export interface Deep {
  kind: Kind
  id: string
  record: Record<string, unknown>
  path?: string[]
  siblings?: string[]
  children?: string[]
  /** The records that this one links to, by field. */
  links?: Record<string, string[]>
  /** The records that link to this one, by kind and field. */
  linked_from?: Record<string, string[]>
}

/** Describes a record with its path, siblings, children and links. Lists are halved until all fits the token limit. */
export async function inspectDeep(hive: Hive, session: string | null, given?: string): Promise<Deep> {
  const { kind, record } = findRecord(hive, session, given)
  const { state } = hive.store.read()
  const fields =
    "host_id" in record
      ? sessionRecord(state, await hive.store.log({ since: record.created_at }), record)
      : ownFields(kind, record)
  const tree = await runInSlices(growTree(state, undefined))
  const { path, siblings, children } = surroundingsOf(state, tree, kind, record)
  const { to, from } = linksOf(state, kind, record)
  const describe = recordDescriber(state, (id) => hive.store.archive.has(id))
  const lines = (refs: readonly Ref[]) => refs.map((ref) => describe(ref.kind, ref.id))
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const lists = {
      path: lines(path),
      siblings: firstOf(lines(siblings), limit),
      children: firstOf(lines(children), limit),
      links: byField(to, (refs) => firstOf(lines(refs), limit)),
      linked_from: byField(from, (refs) => firstOf(lines(refs), limit)),
    }
    const filled = Object.entries(lists).filter(([, list]) => Object.keys(list).length > 0)
    const shown = { kind, id: shortId(record.id), record: bounded(fields, limit) }
    const deep = { ...shown, ...Object.fromEntries(filled) }
    if (limit <= 1 || countTokens(JSON.stringify(deep)) <= MAX_TOKENS) return deep
  }
}

/** Finds a record by its id, the start of its id, or a session's stamp or host id. Default: the record at the read-head. */
function findRecord(hive: Hive, session: string | null, given: string | undefined) {
  const { state } = hive.store.read()
  if (given === undefined) {
    const here = cursorOf(state, headOf(state, session))
    if (here === undefined)
      throw new HiveError({
        code: "not_found",
        what: "There is no record to inspect.",
        why: "The read-head points at no plan, phase or task yet.",
        use_instead: "Give an id that a tool or the state has shown, or the stamp of a session.",
        evidence: "read-head: empty",
      })
    return { kind: kindOf(state, here.id), record: here }
  }
  // In old files, several sessions can have the same stamp. The newest is taken.
  const named = [...state.session.values()]
    .filter(({ stamp, host_id }) => stamp === given || host_id === given)
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at))[0]
  if (named !== undefined) return { kind: kindOf(state, named.id), record: named }
  const id = STAMP.test(given) ? given : fullId(hive, state, given)
  const kind = kindOf(state, id)
  const record = recordsOf(state, kind).get(id) ?? hive.store.archive.get(id)
  if (record === undefined) throw notFound(given)
  return { kind, record }
}

/** Completes the start of an id, from the graph or else from the archive. */
function fullId(hive: Hive, state: GraphState, given: string): string {
  try {
    return resolveId(state, "any", given)
  } catch (error) {
    const [only, ...more] = hive.store.archive.startingWith(given.toLowerCase(), 2)
    if (only === undefined || more.length > 0) throw error
    return only.id
  }
}

/** An id that is not in the graph belongs to a mem, because only mems are archived. */
function kindOf(state: GraphState, id: string): Kind {
  return kinds.find((kind) => recordsOf(state, kind).has(id)) ?? "mem"
}

/** The record's fields, without links. Links are listed separately, with the names of their targets. */
function ownFields(kind: Kind, record: AnyRecord): Record<string, unknown> {
  const linking = new Set(["id", ...linksFrom(kind).map(({ field }) => field)])
  return Object.fromEntries(Object.entries(record).filter(([field]) => !linking.has(field)))
}

interface Ref {
  kind: Kind
  id: string
}

/** Path, siblings and children. For a record outside the tree, these are found through its task or plan. */
function surroundingsOf(state: GraphState, { roots }: Tree, kind: Kind, record: AnyRecord) {
  const found = pathTo(roots, record.id)
  const node = found.at(-1)
  if (node !== undefined) {
    const beside = (found.at(-2)?.children ?? roots).filter((each) => each !== node)
    return { path: refs(found.slice(0, -1)), siblings: refs(beside), children: refs(node.children) }
  }
  const owner = ownerId(record)
  if (owner === undefined) return { path: [], siblings: [], children: [] }
  const siblings = [...recordsOf(state, kind).values()]
    .filter((other) => other.id !== record.id && ownerId(other) === owner)
    .map(({ id }) => ({ kind, id }))
    .reverse()
  return { path: refs(pathTo(roots, owner)), siblings, children: [] }
}

/** The nodes from a root down to the node with this id; empty if there is none. */
function pathTo(nodes: TreeNode[], id: string): TreeNode[] {
  for (const node of nodes) {
    if (node.id === id) return [node]
    const below = pathTo(node.children, id)
    if (below.length > 0) return [node, ...below]
  }
  return []
}

function ownerId(record: AnyRecord): string | undefined {
  if ("origin_task_id" in record) return record.origin_task_id ?? undefined
  if ("plan_id" in record) return record.task_id ?? record.plan_id ?? undefined
  return "task_id" in record ? record.task_id : undefined
}

const refs = (nodes: TreeNode[]): Ref[] => nodes.map(({ level, id }) => ({ kind: level, id }))

interface Linked extends Ref {
  /** The linking field. For a link from another record, its kind comes first, as in `mem.origin_task_id`. */
  field: string
}

/** Links from and to a record, newest first. Links between parents and children in the tree are left out. */
export function linksOf(state: GraphState, kind: Kind, record: AnyRecord): { to: Linked[]; from: Linked[] } {
  const crossLinks = (of: Kind) => linksFrom(of).filter(({ field }) => !TREE_FIELDS.has(field))
  const to = crossLinks(kind).flatMap((link) =>
    link
      .ids(record)
      .filter((id) => id !== null)
      .map((id) => ({ field: link.field, kind: link.to === "any" ? kindOf(state, id) : link.to, id })),
  )
  const pointing = kinds.flatMap(crossLinks).filter((link) => link.to === kind || link.to === "any")
  const from = pointing.flatMap((link) =>
    [...recordsOf(state, link.from).values()]
      .filter((other) => link.ids(other).includes(record.id))
      .map(({ id }) => ({ field: `${link.from}.${link.field}`, kind: link.from, id }))
      .reverse(),
  )
  return { to, from }
}

function byField(links: Linked[], describe: (links: Linked[]) => string[]): Record<string, string[]> {
  const fields = [...new Set(links.map(({ field }) => field))]
  return Object.fromEntries(
    fields.map((name) => [name, describe(links.filter(({ field }) => field === name))]),
  )
}

/** Describes records in one line each: `0a1b2c3d task "Build login" (active)`. */
export function recordDescriber(state: GraphState, isArchived: (id: string) => boolean) {
  const names = recordNames(state)
  return (kind: Kind, id: string): string => {
    const record = recordsOf(state, kind).get(id)
    if (record === undefined) return `${shortId(id)} ${kind} (${isArchived(id) ? "archived" : "not there"})`
    const status = "status" in record ? ` (${record.status})` : ""
    return `${shortId(id)} ${names.nameOf(kind, id)}${status}`
  }
}

export function firstOf(lines: readonly string[], limit: number): string[] {
  const more = lines.length - limit
  return more > 0 ? [...lines.slice(0, limit), `… ${more} more`] : [...lines]
}

function bounded(fields: object, limit: number): Record<string, unknown> {
  const shown = Object.entries(fields).map(([name, value]) => [name, boundedValue(value, limit)])
  return Object.fromEntries(shown.filter(([, value]) => !isEmpty(value)))
}

function boundedValue(value: unknown, limit: number): unknown {
  if (typeof value === "string") return UUID.test(value) ? shortId(value) : shorten(value, MAX_TEXT)
  if (Array.isArray(value)) {
    const shown = value.slice(0, limit).map((each) => boundedValue(each, limit))
    return value.length > limit ? [...shown, `… ${value.length - limit} more`] : shown
  }
  return typeof value === "object" && value !== null ? bounded(value, limit) : value
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ""
}

function notFound(given: string): HiveError {
  const isStamp = STAMP.test(given)
  return new HiveError({
    code: "not_found",
    what: `There is no ${isStamp ? "session with the stamp" : "record"} ${given}.`,
    why: isStamp ? "Only sessions are found by a stamp." : "Neither the graph nor the archive has this id.",
    use_instead: isStamp
      ? "trace finds everything with a stamp."
      : "Use an id that a tool or the state has shown.",
    evidence: given,
  })
}

const MAX_LISTED = 8
const MAX_TOKENS = 1200
const MAX_TEXT = 240
const TREE_FIELDS = new Set(["parent_plan_id", "parent_phase_id", "parent_task_id"])
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
// A stamp cannot be mistaken for the start of an id, which has a dash after eight characters.
const STAMP = /^\d{10,12}(-\d+)?$/
