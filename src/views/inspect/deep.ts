import { linksFrom } from "../../graph/links.ts"
import type { Hive } from "../../hive/hive.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import { shortId } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { sessionRecord } from "../../work/session/record.ts"
import { growTree } from "../hierarchy/tree.ts"
import { bounded, firstOf } from "./bounded.ts"
import { recordDescriber } from "./describe-record.ts"
import { findRecord } from "./find-record.ts"
import { type Linked, linksOf } from "./links-of.ts"
import { type Ref, surroundingsOf } from "./surroundings.ts"

/** One record and its surroundings, one line each; empty lists are left out. */
export interface Deep {
  kind: Kind
  id: string
  record: Record<string, unknown>
  path?: string[]
  siblings?: string[]
  children?: string[]
  /** By field: what it points at. */
  links?: Record<string, string[]>
  /** By kind and field: what points at it. */
  linked_from?: Record<string, string[]>
}

/** A record with its path, siblings, children and links, within a token budget. Reads only. */
export async function inspectDeep(
  hive: Hive,
  session: string | null,
  given: string | undefined,
): Promise<Deep> {
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
  const lines = (refs: Ref[]) => refs.map((ref) => describe(ref.kind, ref.id))
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const deep = {
      kind,
      id: shortId(record.id),
      record: bounded(fields, limit),
      path: lines(path),
      siblings: firstOf(lines(siblings), limit),
      children: firstOf(lines(children), limit),
      links: byField(to, (of) => firstOf(lines(of), limit)),
      linked_from: byField(from, (of) => firstOf(lines(of), limit)),
    }
    if (limit <= 1 || countTokens(JSON.stringify(deep)) <= MAX_TOKENS) return withoutEmpty(deep)
  }
}

/** Its own fields. Links are listed separately, with the names of their targets. */
function ownFields(kind: Kind, record: AnyRecord): Record<string, unknown> {
  const linking = new Set(["id", ...linksFrom(kind).map(({ field }) => field)])
  return Object.fromEntries(Object.entries(record).filter(([field]) => !linking.has(field)))
}

function byField(links: Linked[], describe: (links: Linked[]) => string[]): Record<string, string[]> {
  const fields = [...new Set(links.map(({ field }) => field))]
  return Object.fromEntries(
    fields.map((name) => [name, describe(links.filter(({ field }) => field === name))]),
  )
}

function withoutEmpty({ kind, id, record, ...lists }: Required<Deep>): Deep {
  const filled = Object.entries(lists).filter(([, list]) => Object.keys(list).length > 0)
  return { kind, id, record, ...Object.fromEntries(filled) }
}

const MAX_LISTED = 8
const MAX_TOKENS = 1200
