import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

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
  const errors: ParseError[] = []
  // Some manifests have comments.
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const lineOf = lineCounter(text)
  const [first] = errors
  const problem =
    first === undefined
      ? null
      : `broken JSON in line ${lineOf(first.offset)}: ${printParseErrorCode(first.error)}`

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
