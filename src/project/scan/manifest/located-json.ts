import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser"
import { jsonFault } from "../../../shared/text/json-fault.ts"

/** A JSON file whose values know their lines. A broken one is read as far as it can be. */
export interface LocatedJson {
  /** The entries of an object at that path; none where there is none. */
  entries: (...path: string[]) => { key: string; value: unknown; line: number }[]
  value: (...path: string[]) => unknown
  /** Of the key at that path. */
  line: (...path: string[]) => number
  problem: string | null
}

export function readJson(text: string): LocatedJson {
  return text.length > MAX_PARSED_CHARS ? readLarge(text) : readSmall(text)
}

function readSmall(text: string): LocatedJson {
  const errors: ParseError[] = []
  // Some manifests have comments.
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const lineOf = lineCounter(text)
  const fault = jsonFault(text, errors)
  const problem = fault === undefined ? null : `broken JSON in ${fault}`

  function propertyAt(path: readonly string[]): Node | undefined {
    let node = root
    let property: Node | undefined
    for (const name of path) {
      property = node?.children?.find(
        ({ type, children }) => type === "property" && children?.[0]?.value === name,
      )
      node = property?.children?.[1]
    }
    return property
  }
  const nodeAt = (path: readonly string[]) => (path.length === 0 ? root : propertyAt(path)?.children?.[1])

  return {
    entries: (...path) => {
      const node = nodeAt(path)
      if (node?.type !== "object") return []
      return (node.children ?? []).flatMap((property) => {
        const [key, value] = property.children ?? []
        if (key === undefined || value === undefined) return []
        return { key: String(key.value), value: getNodeValue(value), line: lineOf(key.offset) }
      })
    },
    value: (...path) => {
      const node = nodeAt(path)
      return node === undefined ? undefined : getNodeValue(node)
    },
    line: (...path) => lineOf(propertyAt(path)?.offset ?? 0),
    problem,
  }
}

/**
 * A large one, as of an editor's extension: the parser that knows lines would hold the event loop. Values come from the
 * engine's own, lines from where the keys stand in the text, one after another.
 */
function readLarge(text: string): LocatedJson {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch {
    return { entries: () => [], value: () => undefined, line: () => 1, problem: "broken JSON, not read" }
  }
  const lineOf = lineCounter(text)
  const valueAt = (path: readonly string[]) =>
    path.reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      root,
    )
  const placeOf = (path: readonly string[]) =>
    path.reduce((from, name) => keyFrom(text, name, from) ?? from, 0)
  return {
    entries: (...path) => {
      const found = valueAt(path)
      if (!isObject(found)) return []
      let from = placeOf(path)
      let isLost = false
      return Object.entries(found).map(([key, value]) => {
        // Keys that are numbers come in another order than they stand in: looking on would be in vain, and slow.
        const next = isLost ? undefined : keyFrom(text, key, from)
        isLost = next === undefined
        from = next ?? from
        return { key, value, line: lineOf(from) }
      })
    },
    value: (...path) => valueAt(path),
    line: (...path) => lineOf(placeOf(path)),
    problem: null,
  }
}

/** Where the next such key stands; undefined where none does. */
function keyFrom(text: string, key: string, from: number): number | undefined {
  const mark = JSON.stringify(key)
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1))
    if (/^\s*:/.test(text.slice(at + mark.length, at + mark.length + 20))) return at
  return undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Lines are asked for in any order, and a file may be long. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

const MAX_PARSED_CHARS = 16_000
