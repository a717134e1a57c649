/** The answers that an exported file has with it, by address; `/api/memory` and `/api/timeline` are searched here. */
export type Snapshot = Readonly<Record<string, unknown>>

/** Undefined where the file has it not: it holds a part of the project. */
export function snapshotAnswer(snapshot: Snapshot, at: string): unknown {
  const there = snapshot[at]
  if (there !== undefined) return there
  const [endpoint = "", query = ""] = at.split("?")
  const list = snapshot[endpoint]
  if (!isList(list)) return undefined
  const asked = new URLSearchParams(query)
  if (Number(asked.get("page") ?? 1) > 1) return { ...list, items: [], more: 0 }
  const words = (asked.get("q") ?? asked.get("find") ?? "").toLowerCase().split(/\s+/)
  const record = asked.get("record")
  const same = SAME.filter((name) => asked.has(name))
  const items = list.items.filter((item) => {
    const text = JSON.stringify(item).toLowerCase()
    return (
      words.every((word) => text.includes(word)) &&
      same.every((name) => item[name] === asked.get(name)) &&
      (record === null || (Array.isArray(item["records"]) && item["records"].includes(record)))
    )
  })
  return { ...list, items, total: items.length, more: 0 }
}

function isList(value: unknown): value is { items: Record<string, unknown>[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items)
}

const SAME = ["kind", "shelf", "session"]
