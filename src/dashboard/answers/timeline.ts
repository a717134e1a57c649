import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { recordIdOf } from "../../schemas/op.ts"
import { type DescribedEntry, describeEntries } from "../../views/log/log-entries.ts"
import { type Step, storySteps } from "../../views/log/story-step.ts"
import { hasWords, pageOf } from "../../views/look/page.ts"
import { refusalsOf } from "../../views/look/refusals.ts"
import { acknowledgedWarnings } from "./acknowledged.ts"
import type { TimelineItem, TimelineView } from "./model.ts"
import { snapshotItems } from "./snapshots.ts"

interface TimelineWanted {
  session: string
  record: string
  find: string
  kind: string
  page: number
}

/** The story, the newest first: what was changed, and what was refused. */
export async function timelineAnswer(hive: Hive, wanted: TimelineWanted): Promise<TimelineView> {
  const { state } = hive.store.read()
  // People know a session by its stamp, entries by the host's id. Two clones may have given the same stamp.
  const stamped = [...state.session.values()].filter(({ stamp }) => stamp === wanted.session)
  const hosts = stamped.length > 0 ? stamped.map(({ host_id }) => host_id) : [wanted.session]
  const isOf = (session: string | null) => wanted.session === "" || hosts.includes(session ?? "")
  const naming = wanted.record || (hosts.length === 1 ? (hosts[0] ?? "") : "")
  const all = await hive.store.log({ limit: MAX_ENTRIES, ...(naming !== "" && { naming }) })
  const steps = storySteps(all, state)
  const isKind = (kind: TimelineItem["kind"]) =>
    wanted.kind === "all" ||
    (wanted.kind === "" ? kind !== "small" || wanted.record !== "" : kind === wanted.kind)
  const entries = all.filter(
    (entry) =>
      isOf(entry.by.session) &&
      isKind(steps.get(entry)?.kind ?? "small") &&
      (wanted.record === "" || entry.ops.some((op) => "kind" in op && recordIdOf(op) === wanted.record)),
  )
  const snapshots = snapshotItems(hive, { isWhole: wanted.kind !== "" })
  const besideLog = [...refusedCalls(hive), ...acknowledgedWarnings(hive), ...snapshots].filter(
    ({ session, kind }) => wanted.record === "" && isKind(kind) && isOf(session),
  )
  const paging = { limit: PAGE, page: wanted.page }
  const described = (chosen: Set<Entry>) =>
    describeEntries(all, chosen, state).map((each) => itemOf(each, steps.get(each.entry)))
  if (wanted.find !== "") {
    const story = [...described(new Set(entries)), ...besideLog].filter(({ text, tool, changes, agent }) =>
      hasWords(wanted.find, text, tool, agent, ...changes),
    )
    return pageOf(story.sort(newestFirst), paging)
  }
  // Words are only found for what is shown: an entry can have changed very much.
  const shown = pageOf([...entries, ...besideLog].sort(newestFirst), paging)
  const there = new Set(shown.items)
  const items = [
    ...described(new Set(entries.filter((entry) => there.has(entry)))),
    ...besideLog.filter((item) => there.has(item)),
  ]
  return { ...shown, items: items.sort(newestFirst) }
}

function newestFirst(a: { at: string }, b: { at: string }): number {
  return a.at < b.at ? 1 : a.at > b.at ? -1 : 0
}

function itemOf(described: DescribedEntry, step: Step | undefined): TimelineItem {
  const { entry, short, undoneBy, undoes, from, changes, lost } = described
  return {
    ...{ kind: step?.kind ?? "small", text: step?.text ?? "" },
    ...{ id: entry.id, short, at: entry.at, tool: entry.by.tool },
    ...{ session: entry.by.session, agent: entry.by.agent },
    ...{ changes: changes.slice(0, MAX_CHANGES), lost, undoneBy, undoes, from, refusal: null },
  }
}

function refusedCalls(hive: Hive): TimelineItem[] {
  return refusalsOf(hive, {}).map((refusal) => ({
    kind: "refusal",
    text: refusal.what,
    id: refusal.id,
    short: refusal.short,
    at: refusal.at,
    tool: refusal.tool,
    session: refusal.session,
    agent: refusal.agent,
    changes: [refusal.what],
    lost: [],
    undoneBy: null,
    undoes: null,
    from: null,
    refusal,
  }))
}

const PAGE = 100
// Who looks for something older asks for a session or a record.
const MAX_ENTRIES = 1000
const MAX_CHANGES = 30
