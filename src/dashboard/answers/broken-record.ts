import { shorten } from "../../shared/text/clean.ts"

interface BrokenRecord {
  /** What it calls itself; null where nothing in it can be read. */
  name: string | null
  /** The field that is wrong. */
  field: string | null
  json: string
}

/** A record in quarantine as a person mends it: named, and with one field on each line. */
export function brokenRecord(raw: string, reason: string): BrokenRecord {
  const field = WRONG_FIELD.exec(reason)?.[1] ?? null
  try {
    const record: unknown = JSON.parse(raw)
    if (typeof record !== "object" || record === null) return { name: null, field, json: raw }
    const fields: Readonly<Record<string, unknown>> = { ...record }
    const name = NAMES.map((each) => fields[each]).find((value) => typeof value === "string" && value !== "")
    return {
      name: typeof name === "string" ? shorten(name, 80) : null,
      field,
      json: JSON.stringify(record, null, 2),
    }
  } catch {
    return { name: null, field, json: raw } // Torn: its text as it stands.
  }
}

/** `title: Invalid input: expected string, received undefined` as a person would say it. */
export function plainReason(reason: string): string {
  return reason.replace(INVALID, (_, field: string, expected: string, received: string) =>
    received === "undefined"
      ? `“${field}” is missing`
      : `“${field}” should be ${withArticle(expected)}, but is ${received === "null" ? "null" : withArticle(received)}`,
  )
}

function withArticle(word: string): string {
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`
}

const WRONG_FIELD = /(?:^|: |; )([a-z_]+(?:\.[a-z_0-9]+)*): /
const INVALID = /([a-z_]+(?:\.[a-z_0-9]+)*): Invalid input: expected (\w+), received (\w+)/g
const NAMES = ["title", "content", "key", "summary", "path", "intent", "stamp"]
