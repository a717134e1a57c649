import { createHash } from "node:crypto"
import { derivedId } from "../../shared/ids.ts"
import { cutAt, objectFrom, textFrom } from "../fields.ts"
import type { Line } from "./lines.ts"
import { minuteOf } from "./work-item.ts"

/** As much of an issue as all others need to know of it. */
export interface Issue extends Pick<Line, "number" | "at" | "bytes"> {
  /** `bd-42`. */
  name: string
  /** Ours. */
  id: string
  title: string
  type: string
  status: string
  /** Closed; a status of a project's own counts as that where the issue has a time of closing. */
  isClosed: boolean
  parent: string | null
  /** No link says what it is a part of, but its id does: `bd-a1.3`. */
  isPartById: boolean
  /** Names of what has to be done first. */
  waitsFor: string[]
  /** In ms; 0 where it is not known. */
  updated: number
  /** Why it is not taken over. */
  ignored: string | undefined
  /** Of all that the line says. */
  hash: string
}

/** Where each issue goes, and what leads where. */
export interface BeadsLinks {
  /** Each behind what it leans on. */
  order: readonly Issue[]
  find: (name: string) => Issue | undefined
  roleOf: (issue: Issue) => Role
  /** The plan and the phase that an issue belongs to, or is. */
  placeOf: (issue: Issue) => { plan: string; phase: string }
  /** What an issue is a part of. */
  parentOf: (issue: Issue) => Issue | undefined
  /** The tasks that an issue waits for, and the decisions; what stands in their place for an epic. */
  waitsOf: (issue: Issue) => Waits
  /** Whose children are not all over. */
  hasOpenWork: (issue: Issue) => boolean
  /** The one that a session is to begin with. */
  current: Issue | undefined
  /** Where an issue without an epic goes. */
  loose: { plan: string; phase: string }
  /** The place of a phase among the others. */
  orderOf: (issue: Issue) => number
}

export interface Waits {
  tasks: Issue[]
  decisions: Issue[]
  plans: Issue[]
  /** In words only: there is no link for it, or it closed a circle. */
  words: { name: string; why: string }[]
}

/** What becomes of an issue. */
export type Role = "plan" | "phase" | "task" | "mem"

/** The issue of a line, as far as others need it; undefined where it has no id. */
export function sketchIssue(
  record: Record<string, unknown>,
  { number, at, bytes, text = "" }: Line,
): Issue | undefined {
  const name = textFrom(record["id"])
  if (name === undefined) return undefined
  const links = linksOf(record)
  const ofKind = (kinds: ReadonlySet<string>) =>
    links.filter(({ type }) => kinds.has(type)).map(({ to }) => to)
  const status = textFrom(record["status"])?.toLowerCase() ?? "open"
  const type = textFrom(record["issue_type"])?.toLowerCase() ?? "task"
  return {
    name,
    // Two projects may have the same ids, but hardly of the same minute.
    id: derivedId("beads", name, minuteOf(record["created_at"])),
    title: cutAt(textFrom(record["title"]) ?? name, MAX_TITLE),
    type,
    status,
    isClosed:
      status === "closed" || (!KNOWN_STATUSES.has(status) && textFrom(record["closed_at"]) !== undefined),
    parent: ofKind(PARENTS)[0] ?? textFrom(record["parent"]) ?? null,
    isPartById: false,
    waitsFor: [...new Set(ofKind(WAITS))],
    updated: Date.parse(textFrom(record["updated_at"]) ?? "") || 0,
    ignored: whyIgnored(record, status, type),
    number,
    at,
    bytes,
    hash: createHash("sha1").update(text.trim()).digest("base64"),
  }
}

/** The links that an issue itself has written down. */
export function linksOf(record: Record<string, unknown>): { type: string; to: string }[] {
  const list = Array.isArray(record["dependencies"]) ? record["dependencies"] : []
  return list.flatMap((each) => {
    const link = objectFrom(each)
    const to = textFrom(link?.["depends_on_id"])
    return to === undefined ? [] : { type: textFrom(link?.["type"]) ?? "blocks", to }
  })
}

function whyIgnored(record: Record<string, unknown>, status: string, type: string): string | undefined {
  if (status === "tombstone") return "deleted in beads"
  if (record["ephemeral"] === true || record["wisp"] === true)
    return "passing, beads itself does not export it"
  if (record["is_template"] === true) return "a template, no work"
  return OWN_TYPES.has(type) ? `of type ${type}: about how agents are run, no work` : undefined
}

const PARENTS: ReadonlySet<string> = new Set(["parent-child"])
export const WAITS: ReadonlySet<string> = new Set(["blocks", "blocked-by", "waits-for"])
const OWN_TYPES: ReadonlySet<string> = new Set(["event", "agent", "role", "rig", "message", "slot", "convoy"])
export const KNOWN_STATUSES: ReadonlySet<string> = new Set([
  "open",
  "in_progress",
  "blocked",
  "deferred",
  "closed",
  "pinned",
  "hooked",
])
const MAX_TITLE = 120
