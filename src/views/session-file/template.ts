import { createHash } from "node:crypto"
import { headOf } from "../../graph/read-head.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Session } from "../../schemas/session.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import type { Log } from "../../store/files/log-file.ts"
import { createText, readText } from "../../store/files/text-file.ts"

/**
 * `.hivemind/templates/session.md`: written once, then the user's. If unusable, the built-in one is used and the log
 * says so.
 */
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

/** A new file, from the template and the present state of the session. */
export function renderSessionFile(
  template: string,
  state: GraphState,
  session: Session,
  lines: readonly Line[],
): string {
  const head = maskSecrets(fillTemplate(template, session, positionOf(state, session)))
  return `${head}${markedLines(Buffer.from(head), lines)}`
}

/** The file above its log. Unknown placeholders stay; the log comes last so that it can grow. */
function fillTemplate(template: string, session: Session, chain: readonly string[]): string {
  const values: Record<string, string> = {
    stamp: session.stamp,
    session: safe(session.host_id),
    mode: session.mode,
    agent: safe(session.agent ?? ""),
    created: session.created_at,
    intent: safe(session.intent ?? "No intent yet."),
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

/** The titles of the session's plan, phase and tasks. */
function positionOf(state: GraphState, session: Session): string[] {
  const { active_plan_id, active_phase_id, active_task_ids = [] } = headOf(state, session.host_id) ?? {}
  const names = recordNames(state)
  return [active_plan_id, active_phase_id, ...active_task_ids].flatMap((id) =>
    id == null ? [] : [withoutMarks(names.nameOfAny(id) ?? id)],
  )
}

function safe(text: string): string {
  return withoutMarks(shorten(text, MAX_VALUE))
}

/** A line of a session's log with the id of its entry. */
export interface Line {
  id: string
  text: string
}

export interface Marks {
  /** Entries that have a line in the file. */
  ids: ReadonlySet<string>
  /** False if the file was changed after its last mark. */
  isUntouched: boolean
}

/**
 * Reads the marks of a file. Every line ends in one, `<!-- <entry id> <hash> -->`; the hash covers the whole file up
 * to there. So the file itself shows which entries it has, and whether anything was changed.
 */
export function readMarks(file: Buffer): Marks {
  // One character per byte: an edited file need not be valid text.
  const marks = [...file.toString("latin1").matchAll(MARK)]
  const last = marks.at(-1)
  return {
    ids: new Set(marks.map(([, id = ""]) => id)),
    isUntouched: last !== undefined && isUntouchedSince(file, last),
  }
}

/** The lines with their marks, to append to a file with these bytes. */
export function markedLines(file: Buffer, lines: readonly Line[]): string {
  const isOpen = file.length > 0 && file.at(-1) !== NEWLINE
  const hash = createHash("sha256").update(file)
  const added: string[] = []
  const add = (text: string) => {
    hash.update(text)
    added.push(text)
  }
  if (isOpen && lines.length > 0) add("\n")
  for (const { id, text } of lines) {
    add(`- ${text} <!-- ${id} `)
    add(`${short(hash.copy().digest("hex"))}${MARK_END}`)
  }
  return added.join("")
}

/** Makes text unusable as a mark. */
export function withoutMarks(text: string): string {
  return text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >")
}

/** Splits a line into the entry id of its mark and the words before it. */
export function readLine(line: string): { id: string | undefined; words: string } {
  const [mark] = line.matchAll(MARK)
  return { id: mark?.[1], words: line.replaceAll(MARK, "") }
}

function isUntouchedSince(file: Buffer, { 0: mark, 2: hash = "", index }: RegExpMatchArray): boolean {
  const end = (index ?? 0) + mark.length
  const upToHash = file.subarray(0, end - hash.length - " -->".length)
  const isChained = hash === short(createHash("sha256").update(upToHash).digest("hex"))
  return isChained && file.subarray(end - " -->".length).toString("latin1") === MARK_END
}

function short(hash: string): string {
  return hash.slice(0, 8)
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
// It is read at the end of every turn.
const MAX_TEMPLATE = 100_000
const MARK = /<!-- ([0-9a-f-]{36}) ([0-9a-f]{8}) -->/gi
const MARK_END = " -->\n"
const NEWLINE = 0x0a
