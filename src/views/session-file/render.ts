import type { Session } from "../../schemas/session.ts"
import { markedLines } from "./marks.ts"
import type { Part } from "./parts.ts"
import { fillTemplate } from "./template.ts"

/** A part of a session's log as a file of its own, from nothing but the template and the graph. */
export function renderSessionFile(template: string, session: Session, part: Part): string {
  const head = fillTemplate(template, session, part)
  return `${head}${markedLines(Buffer.from(head), part.lines)}`
}
