import type { Task } from "../../schemas/task.ts"
import { madeOf, tagsFrom, textFrom, timeOf } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { type BeadsLinks, type Issue, KNOWN_STATUSES, type Waits } from "./beads-issue.ts"
import { CIRCLE, UNDER_WAY } from "./beads-layout.ts"
import { closeReason, criteriaOf, factsOf, remarksOf, SAYS_NOTHING, textsOf } from "./beads-words.ts"
import { headTaken, phaseTaken, planTaken } from "./records.ts"
import { joined, knownTime, rankBy, takeText, takeWork, titleOf } from "./work-item.ts"

type Fields = Record<string, unknown>

/** What becomes of an issue, with all that its line says. */
export function takeIssue(record: Fields, issue: Issue, links: BeadsLinks, from: string, now: string): Found {
  const role = links.roleOf(issue)
  if (role === "task") return takeTask(record, issue, links, from, now)
  const notes = [...wordNotes(links.waitsOf(issue)), ...guessNotes(issue)]
  const take =
    role === "mem" ? takeMem(record, issue, links, now) : takeEpic(record, issue, links, now, notes)
  return { from, take, ...noteOf(notes) }
}

function takeTask(record: Fields, issue: Issue, links: BeadsLinks, from: string, now: string): Found {
  const created = timeOf(record["created_at"], now)
  const waits = links.waitsOf(issue)
  const place = links.placeOf(issue)
  const parent = links.parentOf(issue)
  const priority = typeof record["priority"] === "number" ? record["priority"] : USUAL_PRIORITY
  const depends_on = waits.tasks.map(({ id }) => id)
  const { take, changes } = takeWork(
    "beads",
    {
      id: issue.id,
      name: issue.name,
      title: textFrom(record["title"]) ?? "",
      text: [...textsOf(record), factsOf(record, issue, links)],
      notes: remarksOf(record),
      tags: tagsFrom(record["labels"]),
      plan: place.plan,
      phase: place.phase,
      parent: parent !== undefined && links.roleOf(parent) === "task" ? parent.id : null,
      created: record["created_at"],
      updated: record["updated_at"],
      task: {
        ...statusOf(record, issue, links),
        depends_on,
        decisions: waits.decisions.map(({ id }) => id),
        // Of those of the same second, the earlier line comes first.
        rank:
          (rankBy(created, Math.min(4, Math.max(0, priority)) - USUAL_PRIORITY) ?? Date.parse(created)) +
          issue.number / 100,
      },
    },
    now,
  )
  const isLoose = place === links.loose
  const made = madeOf({ created: record["created_at"] }, now)
  const before = isLoose ? planTaken({ id: place.plan, title: "Beads: issues without an epic", ...made }) : []
  const head = links.current === issue ? [headTaken(place.plan, now)] : []
  const isKnown = KNOWN_STATUSES.has(issue.status)
  const notes = [
    ...changes,
    ...(isKnown ? [] : [`the status "${issue.status}" is not known: taken as not begun`]),
  ]
  return {
    from,
    take: [...before, ...take, ...head],
    ...noteOf([...notes, ...wordNotes(waits), ...guessNotes(issue)]),
  }
}

type Standing = Partial<Pick<Task, "status" | "held_back" | "evidence" | "started_at" | "completed_at">>

function statusOf(record: Fields, issue: Issue, links: BeadsLinks): Standing {
  const updated = knownTime(record["updated_at"])
  const started_at = knownTime(record["started_at"])
  if (issue.isClosed) {
    const completed_at = knownTime(record["closed_at"]) ?? updated
    return {
      status: "completed",
      started_at,
      completed_at,
      evidence: textFrom(record["close_reason"]) ?? null,
    }
  }
  if (UNDER_WAY.has(issue.status)) return { status: "active", started_at: started_at ?? updated }
  if (issue.status === "deferred" || issue.status === "blocked") {
    const until = textFrom(record["defer_until"])
    const isHeld = issue.status === "deferred" || !isWaiting(issue, links)
    const why =
      issue.status === "deferred"
        ? `Deferred in beads${until === undefined ? "" : ` until ${until}`}.`
        : "Blocked in beads."
    return { status: "blocked", held_back: isHeld ? why : null }
  }
  return { status: isWaiting(issue, links) ? "blocked" : "planned" }
}

/** Something that it waits for is not done yet. */
function isWaiting(issue: Issue, links: BeadsLinks): boolean {
  const { tasks, decisions } = links.waitsOf(issue)
  if ([...tasks, ...decisions].some((other) => !other.isClosed)) return true
  for (let at: Issue | undefined = issue; at !== undefined; at = links.parentOf(at))
    if (links.roleOf(at) === "plan") return links.waitsOf(at).plans.some((plan) => !isDone(plan, links))
  return false
}

function isDone(epic: Issue, links: BeadsLinks): boolean {
  return epic.isClosed && !links.hasOpenWork(epic)
}

function takeEpic(record: Fields, issue: Issue, links: BeadsLinks, now: string, notes: string[]): Taken[] {
  const made = madeOf({ created: record["created_at"], updated: record["updated_at"] }, now)
  const { line: title, whole } = titleOf({ title: textFrom(record["title"]) ?? "", name: issue.name })
  const isOver = isDone(issue, links)
  if (issue.isClosed && !isOver) notes.push("a closed epic with open work in it stays open")
  const ends = isOver ? (knownTime(record["closed_at"]) ?? knownTime(record["updated_at"])) : null
  const waits = links.waitsOf(issue).plans
  const place = links.placeOf(issue)
  const ours =
    links.roleOf(issue) === "plan"
      ? planTaken({
          id: issue.id,
          title,
          acceptance: criteriaOf(record),
          depends_on: waits.map(({ id }) => id),
          owned_by: textFrom(record["owner"])?.slice(0, MAX_TITLE) ?? null,
          status: isOver ? "archived" : waits.some((plan) => !isDone(plan, links)) ? "draft" : "active",
          completed_at: ends,
          ...made,
        })
      : [
          phaseTaken({
            id: issue.id,
            parent_plan_id: place.plan,
            title,
            order: links.orderOf(issue),
            status: isOver ? "completed" : UNDER_WAY.has(issue.status) ? "active" : "planned",
            ...made,
          }),
        ]
  const facts = factsOf(record, issue, links)
  const texts = joined([whole, ...textsOf(record), closeReason(record)])
  // Where there is nothing but its type and who made it, there is nothing to remember.
  const text = texts === "" && SAYS_NOTHING.test(facts) ? "" : joined([`${title}:`, texts, facts])
  const about = {
    tags: [issue.name, ...tagsFrom(record["labels"])],
    related_to: [issue.id],
    fallback: made.created_at,
  }
  const mems = takeText("beads", text, { ...about, kind: "fact", created: record["created_at"] })
  const remarks = remarksOf(record).flatMap(({ text, at }) =>
    takeText("beads", text, { ...about, created: at }),
  )
  return [...ours, ...mems, ...remarks]
}

/** A decision, taken or open; or what was pinned so that it is not forgotten. */
function takeMem(record: Fields, issue: Issue, links: BeadsLinks, now: string): Taken[] {
  const isDecision = issue.type === "decision"
  const text = joined([
    textFrom(record["title"]),
    ...textsOf(record),
    closeReason(record),
    factsOf(record, issue, links),
  ])
  const about = {
    tags: [issue.name, ...tagsFrom(record["labels"])],
    fallback: timeOf(record["created_at"], now),
  }
  const kind = isDecision
    ? ({ kind: "decision", shelf: "decisions", resolved: issue.isClosed } as const)
    : ({ kind: "fact" } as const)
  const [first, ...more] = takeText("beads", text, { ...about, ...kind, created: record["created_at"] })
  const own = first?.kind === "mem" ? [{ ...first, record: { ...first.record, id: issue.id } }] : []
  const parts = more.map((taken) =>
    taken.kind === "mem" ? { ...taken, record: { ...taken.record, parent_mem_id: issue.id } } : taken,
  )
  const remarks = remarksOf(record).flatMap((remark) =>
    takeText("beads", remark.text, { ...about, key: issue.id, created: remark.at, related_to: [issue.id] }),
  )
  return [...own, ...parts, ...remarks]
}

function wordNotes({ words }: Waits): string[] {
  const whys = words.map(({ why }) => (why === CIRCLE ? why : "other"))
  return [
    ...(whys.includes(CIRCLE)
      ? ["dependencies ran in a circle: one was left out, and stands in the task's text"]
      : []),
    ...(whys.includes("other") ? ["a dependency that has no link with us stands in the text"] : []),
  ]
}

function guessNotes({ isPartById }: Issue): string[] {
  return isPartById ? ["no link says what it is a part of, but its id does"] : []
}

function noteOf(notes: readonly string[]): { note?: string } {
  return notes.length === 0 ? {} : { note: [...new Set(notes)].join("; ") }
}

const USUAL_PRIORITY = 2
const MAX_TITLE = 480
