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

/** Reads `.hivemind/templates/session.md`, which the user may edit. If it is unusable, the built-in template is used. */
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

export function renderSessionFile(
  template: string,
  state: GraphState,
  session: Session,
  lines: readonly Line[],
): string {
  const head = maskSecrets(fillTemplate(template, session, positionOf(state, session)))
  return `${head}${markedLines(Buffer.from(head), lines)}`
}

/** The part of the file above the log. Unknown placeholders stay. The log is last, so that lines can be appended. */
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
        ? "No position in the plans yet."
        : chain.map((name, depth) => `${"  ".repeat(depth)}- ${name}`).join("\n"),
  }
  // One pass, so that a value that looks like a placeholder is not replaced again.
  const filled = template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : placeholder,
  )
  const lastHeading = [...filled.matchAll(HEADING)].at(-1)?.[1] ?? ""
  const end = lastHeading.toLowerCase() === "log" ? "" : "\n\n## Log"
  return `${filled.trimEnd()}${end}\n\n`
}

function positionOf(state: GraphState, session: Session): string[] {
  const { active_plan_id, active_phase_id, active_task_ids = [] } = headOf(state, session.host_id) ?? {}
  const names = recordNames(state)
  return [active_plan_id, active_phase_id, ...active_task_ids].flatMap((id) =>
    id == null ? [] : [withoutMarks(names.nameOfAny(id) ?? id)],
  )
}

const safe = (text: string): string => withoutMarks(shorten(text, MAX_VALUE))

export interface Line {
  id: string
  text: string
}

/** Reads the marks: each line ends in `<!-- <entry id> <hash> -->`, and the hash covers all of the file before it. */
export function readMarks(file: Buffer) {
  // Latin-1 has one character per byte, so that an edited file need not be valid UTF-8.
  const marks = [...file.toString("latin1").matchAll(MARK)]
  const last = marks.at(-1)
  return {
    ids: new Set(marks.map(([, id = ""]) => id)),
    // False if the file was changed after its last mark.
    isUntouched: last !== undefined && isUntouchedSince(file, last),
  }
}

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

const short = (hash: string): string => hash.slice(0, 8)

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

<!-- Write your notes here. HiveMind only adds lines at the end of this file. -->

## Log
`
const HEADING = /^#{1,6}[ \t]+(.*?)[ \t]*$/gm
const MAX_VALUE = 500
// The limit keeps reading fast: the template is read at the end of every turn.
const MAX_TEMPLATE = 100_000
const MARK = /<!-- ([0-9a-f-]{36}) ([0-9a-f]{8}) -->/gi
const MARK_END = " -->\n"
const NEWLINE = 0x0a
