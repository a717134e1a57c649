import type { Session } from "../../schemas/session.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import type { Log } from "../../store/files/log-file.ts"
import { createText, readText } from "../../store/files/text-file.ts"
import { markedLines, withoutMarks } from "./marks.ts"
import type { Part } from "./parts.ts"

/** `.hivemind/templates/session.md`: written once, then the user's. If it cannot be used, the built-in one is, and the log says so. */
export function sessionTemplate(paths: HivePaths, log: Log): string {
  try {
    const text = readText(paths.sessionTemplate)
    if (text === undefined) {
      createText(paths.sessionTemplate, BUILT_IN)
      return BUILT_IN
    }
    if (text.trim() !== "" && text.length <= MAX_TEMPLATE && !text.includes("\0")) return text
    log("error", `${paths.sessionTemplate} is empty, too long or not text; the built-in template is used`)
  } catch (error) {
    log("error", `${paths.sessionTemplate} cannot be used; the built-in one is`, error)
  }
  return BUILT_IN
}

/** The file of one part, from the template and the graph alone. */
export function renderSessionFile(template: string, session: Session, part: Part): string {
  const head = maskSecrets(fillTemplate(template, session, part))
  return `${head}${markedLines(Buffer.from(head), part.lines)}`
}

/** The file down to its log. Unknown placeholders stay as they are; the log comes last, so that it can grow. */
function fillTemplate(template: string, session: Session, { chain, goal }: Part): string {
  const values: Record<string, string> = {
    stamp: session.stamp,
    session: safe(session.host_id),
    mode: goal.mode,
    agent: safe(session.agent ?? ""),
    created: session.created_at,
    intent: safe(goal.intent ?? "No intent yet."),
    hierarchy:
      chain.length === 0
        ? "Nowhere in the plans yet."
        : chain.map((name, depth) => `${"  ".repeat(depth)}- ${name}`).join("\n"),
  }
  // In one pass: a value that looks like a placeholder is not filled in again.
  const filled = template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : placeholder,
  )
  const lastHeading = [...filled.matchAll(HEADING)].at(-1)?.[1] ?? ""
  const end = lastHeading.toLowerCase() === "log" ? "" : "\n\n## Log"
  return `${filled.trimEnd()}${end}\n\n`
}

function safe(text: string): string {
  return withoutMarks(shorten(text, MAX_VALUE))
}

const BUILT_IN = `---
stamp: "{stamp}"
session: {session}
mode: {mode}
agent: {agent}
created: {created}
---

# Session {stamp}

{intent}

## Hierarchy

{hierarchy}

## Notes

<!-- Yours. HiveMind only ever adds to the end of this file. -->

## Log
`
const HEADING = /^#{1,6}[ \t]+(.*?)[ \t]*$/gm
const MAX_VALUE = 500
// Every session's file begins with it and is read at the end of every turn.
const MAX_TEMPLATE = 100_000
