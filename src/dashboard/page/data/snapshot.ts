/** The answers that an exported file has with it, by address; `/api/memory` and `/api/timeline` are searched here. */
export type Snapshot = Readonly<Record<string, unknown>>

export function snapshotIn(page: Document): Snapshot | null {
  const text = page.getElementById("snapshot")?.textContent
  return text == null || text === "" ? null : JSON.parse(text)
}

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
  const filters = ["kind", "shelf", "session"].flatMap((name) => {
    const value = asked.get(name)
    return value === null ? [] : [`"${name}":${JSON.stringify(value)}`]
  })
  const items = list.items.filter((item) => {
    const text = JSON.stringify(item)
    return (
      words.every((word) => text.toLowerCase().includes(word)) && filters.every((each) => text.includes(each))
    )
  })
  return { ...list, items, total: items.length, more: 0 }
}

function isList(value: unknown): value is { items: unknown[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items)
}
