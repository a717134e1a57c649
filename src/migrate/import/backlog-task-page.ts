import { textFrom } from "../fields.ts"
import type { Node } from "./order.ts"

type Fields = Record<string, unknown>
export type Folder = "tasks" | "completed" | "drafts" | "archive/tasks" | "archive/drafts"

/** A task of Backlog.md as its file has it. */
export interface TaskPage extends Node {
  id: string
  name: string
  /** Another one has its id: ids are given again when a task was archived. */
  isSecond: boolean
  fields: Fields
  body: string
  folder: Folder
  from: string
  parent: string | null
}

/** Names that differ in case or in leading zeros only are one. */
export function nameOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=[^\d]|^)0+(?=\d)/g, "")
}

export function waitsOf(fields: Fields): Node {
  const list = Array.isArray(fields["dependencies"]) ? fields["dependencies"] : []
  const parent = textFrom(fields["parent_task_id"])
  return {
    parent: parent === undefined ? null : nameOf(parent),
    waitsFor: [...new Set(list.flatMap((each) => textFrom(each) ?? []).map(nameOf))],
  }
}

/** A date of theirs, which is in UTC, as a time; undefined where there is none. */
export function dateOf(value: unknown): string | undefined {
  const text = textFrom(value) ?? ""
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d))?/.exec(text) ?? []
  const [, oldDay, oldMonth, oldYear] = /^(\d\d)[-/.](\d\d)[-/.](\d\d)$/.exec(text) ?? []
  const ms =
    year === undefined
      ? Date.parse(`20${oldYear}-${oldMonth}-${oldDay}T00:00Z`)
      : Date.parse(`${year}-${month}-${day}T${time ?? "00:00"}Z`)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}
