export type ExportedAnswers = Readonly<Record<string, unknown>>

/** Finds an answer in the exported file; undefined if the file lacks it. Memory and timeline are filtered here. */
export function exportedAnswer(answers: ExportedAnswers, at: string): unknown {
  const [endpoint = "", query = ""] = at.split("?")
  const list = answers[endpoint]
  const isSearched = endpoint === "/api/memory" || endpoint === "/api/timeline"
  if (!isSearched || !isList(list)) return answers[at]
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

/** Filters as the server does: steps of kind `small` are shown only for `all`, and in the history of one record. */
function isOfKind(is: unknown, wanted: string, isOfRecord: boolean): boolean {
  if (wanted === "all") return true
  return wanted === "" ? is !== "small" || isOfRecord : is === wanted
}

function isList(value: unknown): value is { items: Record<string, unknown>[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items)
}
