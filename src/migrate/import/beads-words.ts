import { listFrom, objectFrom, tagsFrom, textFrom } from "../fields.ts"
import { type BeadsLinks, type Issue, KNOWN_STATUSES, linksOf, WAITS } from "./beads-issue.ts"
import type { Remark } from "./work-item.ts"

type Fields = Record<string, unknown>

/** What an issue says in words. */

export function textsOf(record: Fields): (string | undefined)[] {
  const named = (name: string, field: string) => {
    const text = textFrom(record[field])
    return text === undefined ? undefined : `${name}:\n${text}`
  }
  return [
    textFrom(record["description"]),
    named("Acceptance criteria", "acceptance_criteria"),
    named("Design", "design"),
  ]
}

export function closeReason(record: Fields): string | undefined {
  const reason = textFrom(record["close_reason"])
  return reason === undefined ? undefined : `Closed: ${reason}`
}

/** Each line of the criteria, without its bullet. */
export function criteriaOf(record: Fields): string[] {
  const lines = (textFrom(record["acceptance_criteria"]) ?? "").split("\n")
  return listFrom(
    lines.map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s*(?:\[[ xX]\]\s*)?/, "")),
    MAX_CRITERION,
  )
}

/** Notes and comments. */
export function remarksOf(record: Fields): Remark[] {
  const notes = textFrom(record["notes"])
  const comments = Array.isArray(record["comments"]) ? record["comments"] : []
  return [
    ...(notes === undefined ? [] : [{ text: notes }]),
    ...comments.flatMap((each) => {
      const comment = objectFrom(each)
      const text = textFrom(comment?.["text"])
      if (text === undefined) return []
      const author = textFrom(comment?.["author"])
      return [{ text: author === undefined ? text : `${author}: ${text}`, at: comment?.["created_at"] }]
    }),
  ]
}

/** What the tool says of it in single words, and where its links lead. */
export function factsOf(record: Fields, issue: Issue, links: BeadsLinks): string {
  const say = (words: string, field: string) => {
    const value = textFrom(record[field])
    return value === undefined ? [] : [`${words} ${value}`]
  }
  const labels = tagsFrom(record["labels"])
  const facts = [
    `${issue.name} in beads: ${issue.type}`,
    ...say("priority", "priority"),
    ...(KNOWN_STATUSES.has(issue.status) ? [] : [`status ${issue.status}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(", ")}`]),
    ...say("assigned to", "assignee"),
    ...say("owned by", "owner"),
    ...say("created by", "created_by"),
    ...say("due", "due_at"),
    ...say("minutes estimated", "estimated_minutes"),
    ...say("elsewhere", "external_ref"),
    ...say("spec", "spec_id"),
  ]
  const { words } = links.waitsOf(issue)
  const named = (name: string) => `${name} "${links.find(name)?.title ?? "not in the file"}"`
  const parent = links.parentOf(issue)
  const lines = [
    ...linksOf(record)
      .filter(({ type, to }) => !WAITS.has(type) && !(type === "parent-child" && to === parent?.name))
      .map(({ type, to }) => `${type}: ${named(to)}`),
    ...words.map(({ name, why }) => `waits for ${named(name)} (in words only: ${why})`),
  ]
  const others = Object.entries(record).filter(([name]) => !KNOWN_FIELDS.has(name))
  const also = others.length === 0 ? [] : [`Also: ${JSON.stringify(Object.fromEntries(others))}`]
  return [`${facts.join("; ")}.`, ...lines, ...also].join("\n")
}

export const SAYS_NOTHING = /^\S+ in beads: [\w-]+(; priority \d)?(; created by [^;\n]+)?\.$/
const MAX_CRITERION = 2000
// What goes into a field or the text of ours, and what beads only counts or computes.
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ..."_type id title description design acceptance_criteria notes spec_id status priority issue_type".split(
    " ",
  ),
  ..."assignee owner estimated_minutes created_at created_by updated_at started_at closed_at close_reason".split(
    " ",
  ),
  ..."due_at defer_until external_ref labels dependencies comments parent".split(" "),
  ..."dependency_count dependent_count comment_count content_hash source_repo work_type compaction_level".split(
    " ",
  ),
  ..."original_size compacted_at compacted_at_commit pinned deleted_at deleted_by delete_reason original_type".split(
    " ",
  ),
])
