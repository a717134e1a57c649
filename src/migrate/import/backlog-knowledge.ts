import { basename, join } from "node:path"
import { fileLook } from "../../project/document/file-look.ts"
import { fileId } from "../../project/document/record-file.ts"
import { projectPath } from "../../project/project-path.ts"
import { madeOf, tagsFrom, textFrom } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { dateOf } from "./backlog-task-page.ts"
import { type Page, sectionsOf } from "./front-matter.ts"
import { joined, takeText } from "./work-item.ts"

/** One that was replaced or rejected is not in force; one that is only proposed is open. */
export function takeDecision({ fields, body }: Page, from: string, now: string): Found {
  const name = textFrom(fields["id"]) ?? basename(from, ".md")
  const status = textFrom(fields["status"])?.toLowerCase() ?? "proposed"
  const text = joined(sectionsOf(body).map(({ title, text }) => (title === "" ? text : `${title}: ${text}`)))
  const content = joined([textFrom(fields["title"]) ?? name, text, `${name} in Backlog.md: ${status}.`])
  const created = dateOf(fields["date"] ?? fields["created_date"])
  const about = { key: name, tags: [name, ...tagsFrom(fields["tags"])], created, fallback: now }
  const take = takeText("backlog", content, {
    ...about,
    kind: "decision",
    shelf: "decisions",
    resolved: status !== "proposed",
  })
  const over = OVER[status]
  return {
    from: `${from} (${name})`,
    take: take.map((taken) =>
      over !== undefined && taken.kind === "mem" ? { ...taken, record: { ...taken.record, ...over } } : taken,
    ),
  }
}

/** A file of the project is registered where it is, with a mem by which it is found; of another, the text is kept. */
export function takeDocument(
  { fields, body }: Page,
  { root, dir, from, plan, now }: { root: string; dir: string; from: string; plan: string; now: string },
): Taken[] {
  const made = madeOf(
    { created: dateOf(fields["created_date"]), updated: dateOf(fields["updated_date"]) },
    now,
  )
  const path = projectPath(dir, join(root, from))
  const state = path === undefined ? undefined : fileLook(dir)(path)
  const title = textFrom(fields["title"]) ?? basename(from, ".md")
  const name = textFrom(fields["id"]) ?? title
  const about = {
    key: from,
    tags: [name, ...tagsFrom(fields["tags"])],
    created: dateOf(fields["created_date"]),
    fallback: now,
  }
  const what = `Document "${title}" (${textFrom(fields["type"]) ?? "other"})`
  if (path === undefined || state === undefined || state === null)
    return takeText("backlog", joined([`${what}, ${name} in Backlog.md:`, body]), { ...about, kind: "fact" })
  const id = fileId(path)
  const artifact = {
    id,
    path,
    task_id: null,
    plan_id: plan,
    ...state,
    status: "current",
    superseded_by: null,
    ...made,
  } as const
  const mem = takeText("backlog", `${what}: ${path}`, { ...about, kind: "fact", related_to: [id] })
  return [{ kind: "artifact", record: { ...artifact, sections: [...state.sections] } }, ...mem]
}

const OVER: Readonly<Record<string, { status: "superseded" | "invalidated"; reason: string }>> = {
  superseded: { status: "superseded", reason: "Superseded in Backlog.md." },
  deprecated: { status: "superseded", reason: "Deprecated in Backlog.md." },
  rejected: { status: "invalidated", reason: "Rejected in Backlog.md." },
}
