/** The answers that an exported file has with it, by address; `/api/memory` and `/api/timeline` are searched here. */
export type Snapshot = Readonly<Record<string, unknown>>

/** Undefined where the file has it not: it holds a part of the project. */
export function snapshotAnswer(snapshot: Snapshot, at: string): unknown {
  const [endpoint = "", query = ""] = at.split("?")
  const [there, list] = [snapshot[at], snapshot[endpoint]]
  const isSearched = endpoint === "/api/memory" || endpoint === "/api/timeline"
  if (!isSearched || !isList(list)) return there
  const asked = new URLSearchParams(query)
  if (Number(asked.get("page") ?? 1) > 1) return { ...list, items: [], more: 0 }
  const words = (asked.get("q") ?? asked.get("find") ?? "").toLowerCase().split(/\s+/)
  const [kind, shelf, session, record] = ["kind", "shelf", "session", "record"].map((name) => asked.get(name))
  const items = list.items.filter((item) => {
    const text = JSON.stringify(item).toLowerCase()
    return (
      words.every((word) => text.includes(word)) &&
      isOfKind(item["kind"], kind ?? "", record != null) &&
      (shelf == null || item["shelf"] === shelf) &&
      (session == null || item["session"] === session || item["stamp"] === session) &&
      (record == null || (Array.isArray(item["records"]) && item["records"].includes(record)))
    )
  })
  return { ...list, items, total: items.length, more: 0 }
}

/** As the server does: small steps are shown where all are wanted, or those of one record. */
function isOfKind(is: unknown, wanted: string, isOfRecord: boolean): boolean {
  if (wanted === "all") return true
  return wanted === "" ? is !== "small" || isOfRecord : is === wanted
}

function isList(value: unknown): value is { items: Record<string, unknown>[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items)
}
