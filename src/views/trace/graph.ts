import { linksFrom } from "../../graph/links.ts"
import { recordNames } from "../../graph/record-names.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { sessionParts } from "../session-file/parts.ts"
import type { Hit } from "./trace.ts"

/** Records that carry the stamp, records that link to them (a task's mems, checkpoints, sub-tasks), and the log of its session. */
export function traceGraph(
  state: GraphState,
  archivedMems: readonly Mem[],
  entries: readonly Entry[],
  stamp: string,
): Hit[] {
  const names = recordNames(state)
  const archived = new Map(archivedMems.map((mem) => [mem.id, mem]))
  const records = tracedRecords(state, archived)
  const stamped = new Set(
    records.filter(({ record }) => record.stamp === stamp).map(({ record }) => record.id),
  )
  const isHit = ({ kind, record }: Traced) =>
    stamped.has(record.id) ||
    linksFrom(kind).some((link) => link.ids(record).some((id) => id !== null && stamped.has(id)))
  const titleOf = (id: string) => {
    const own = state.session.get(id)?.intent ?? archived.get(id)?.content
    return own === undefined ? (names.titleOf(id) ?? id) : `"${shorten(own, MAX_TITLE)}"`
  }
  const hits = records.filter(isHit).map(({ kind, record }): Hit => {
    const status = "status" in record ? ` (${record.status})` : ""
    const where = `${kind} ${shortId(record.id)}`
    return { at: record.created_at, source: "graph", where, text: `${titleOf(record.id)}${status}` }
  })
  const sessions = [...state.session.values()].filter((session) => session.stamp === stamp)
  const log = sessions.flatMap((session) =>
    sessionParts(entries, state, session).flatMap(({ lines }) =>
      lines.map(
        ({ id, at, words }): Hit => ({ at, source: "log", where: `entry ${shortId(id)}`, text: words }),
      ),
    ),
  )
  return [...hits, ...log]
}

type Stamped = Extract<AnyRecord, { stamp: string }>

interface Traced {
  kind: Kind
  record: Stamped
}

/** Without read-heads: they only repeat the position of their session. */
function tracedRecords(state: GraphState, archived: ReadonlyMap<string, Mem>): Traced[] {
  const hot = kinds
    .filter((kind) => kind !== "trajectory")
    .flatMap((kind) =>
      [...recordsOf(state, kind).values()].flatMap((record) => ("stamp" in record ? [{ kind, record }] : [])),
    )
  const gone = [...archived.values()].filter(({ id }) => !state.mem.has(id))
  return [...hot, ...gone.map((record) => ({ kind: "mem" as const, record }))]
}

const MAX_TITLE = 60
