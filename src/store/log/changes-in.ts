/** A change of a record, seen in a line that was not parsed. */
export interface SeenChange {
  op: string
  kind: string
  id: string
}

/**
 * The records that a line changes, and the id of its entry. Many times quicker than to parse it. Undefined where the line
 * is not written as we write it: then only parsing tells.
 */
export function changesIn(line: Buffer): { entry: string; changes: SeenChange[] } | undefined {
  const text = line.toString("latin1")
  const entry = ENTRY_START.exec(text)?.[1]
  if (entry === undefined) return undefined
  const changes: SeenChange[] = []
  for (const [, op = "", kind = "", id = ""] of text.matchAll(CHANGE)) changes.push({ op, kind, id })
  // Inside a text every quote has a backslash before it: these are ops and nothing else.
  return changes.length === [...text.matchAll(ANY_CHANGE)].length ? { entry, changes } : undefined
}

const ENTRY_START = /^\{"id":"([^"\\]+)"/
const CHANGE = /"op":"(\w+)","kind":"(\w+)",(?:"record":\{)?"id":"([^"\\]+)"/g
const ANY_CHANGE = /"op":"(?:add|set|drop|archive)"/g
