import { textFrom } from "../fields.ts"
import { dateOf, type TaskPage } from "./backlog-task-page.ts"
import type { Section } from "./front-matter.ts"
import type { Remark } from "./work-item.ts"

/** What a page says, without its notes and comments. */
export function textsOf(sections: readonly Section[]): string[] {
  return sections
    .filter(({ title }) => !REMARKS.has(title.toLowerCase()))
    .map(({ title, text }) => (title === "" || title === "Description" ? text : `${title}:\n${text}`))
}

export function sectionText(sections: readonly Section[], name: string): string | undefined {
  return sections.find(({ title }) => title.toLowerCase() === name)?.text
}

/** Notes and comments. */
export function remarksOf(sections: readonly Section[], isDone: boolean): Remark[] {
  const notes = sectionText(sections, "implementation notes")
  const summary = isDone ? undefined : sectionText(sections, SUMMARY)
  return [
    ...(notes === undefined ? [] : [{ text: notes }]),
    ...(summary === undefined ? [] : [{ text: summary }]),
    ...commentsOf(sectionText(sections, "comments") ?? ""),
  ]
}

/** By turns a head with author and date, and a text, each closed by a line of dashes. */
function commentsOf(text: string): Remark[] {
  const parts = text.replaceAll(/^\s*<!-- COMMENT:(BEGIN|END) -->\s*$/gm, "").split(/^---\s*$/m)
  const remarks: Remark[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [head = "", body = ""] = [parts[at], parts[at + 1]?.trim()]
    const author = /^author:\s*(.+)$/m.exec(head)?.[1]?.trim()
    const date = dateOf(/^created:\s*'?(.+?)'?\s*$/m.exec(head)?.[1])
    if (body !== "") remarks.push({ text: author === undefined ? body : `${author}: ${body}`, at: date })
  }
  return remarks.length === 0 && text !== "" ? [{ text }] : remarks
}

/** What a page says of itself in its fields. */
export function factsOf({ name, fields }: TaskPage): string {
  const say = (words: string, field: string) => {
    const value = fields[field]
    const text = Array.isArray(value) ? value.map(String).join(", ") : textFrom(value)
    return text === undefined || text === "" ? [] : [`${words} ${text}`]
  }
  const facts = [
    `${name} in Backlog.md: ${textFrom(fields["status"]) ?? "without a status"}`,
    ...say("type", "type"),
    ...say("priority", "priority"),
    ...say("labels", "labels"),
    ...say("assigned to", "assignee"),
    ...say("reported by", "reporter"),
    ...say("due", "due_date"),
    ...say("references", "references"),
    ...say("documentation", "documentation"),
    ...say("files", "modified_files"),
  ]
  const others = Object.entries(fields).filter(([name, value]) => !KNOWN_FIELDS.has(name) && !isEmpty(value))
  const also = others.length === 0 ? [] : [`Also: ${JSON.stringify(Object.fromEntries(others))}`]
  return [`${facts.join("; ")}.`, ...also].join("\n")
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0)
}

export const SUMMARY = "final summary"
const REMARKS: ReadonlySet<string> = new Set(["implementation notes", SUMMARY, "comments"])
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ..."id title status assignee reporter created_date updated_date due_date labels milestone dependencies".split(
    " ",
  ),
  ..."references documentation modified_files parent_task_id subtasks priority type ordinal".split(" "),
])
