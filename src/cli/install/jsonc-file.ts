import { type Node, type ParseError, parseTree } from "jsonc-parser"
import { HiveError } from "../../shared/error.ts"
import { jsonFault, mergeMarkerLine } from "../../shared/text/json-fault.ts"

export interface JsoncFile {
  bom: string
  body: string
  /** Undefined for a blank file, which counts as an empty object. */
  root: Node | undefined
}

/** A person's config file as a tree, for edits that keep the rest of it. `mask` must keep every offset. */
export function parseJsonc(
  text: string,
  file: string,
  mask: (body: string) => string = (body) => body,
): JsoncFile {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : ""
  const body = text.slice(bom.length)
  if (body.trim() === "") return { bom, body, root: undefined }

  const errors: ParseError[] = []
  const root = parseTree(mask(body), errors, { allowTrailingComma: true })
  const fault = jsonFault(body, errors)
  if (fault !== undefined && mergeMarkerLine(body) !== undefined)
    throw brokenConfig(file, `A merge was not finished: ${fault}.`, body, errors[0]?.offset ?? 0)
  if (fault !== undefined)
    throw brokenConfig(
      file,
      `It is not valid JSON (comments and trailing commas are fine): ${fault}.`,
      body,
      errors[0]?.offset ?? 0,
    )
  if (root?.type !== "object") throw brokenConfig(file, "Its content is not an object.", body, 0)
  return { bom, body, root }
}

/** The value of a key; with a key twice the last one counts, as for JSON.parse. */
export function valueAt(object: Node | undefined, key: string): Node | undefined {
  return object?.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1]
}

export function brokenConfig(file: string, why: string, body: string, offset: number): HiveError {
  const line = body.slice(0, offset).split("\n").length
  return new HiveError({
    code: "broken_config",
    what: `${file} cannot be changed.`,
    why,
    use_instead: "Correct the file, then try again. It has not been touched.",
    // The line itself is not shown: it may hold a key.
    evidence: `${file}:${line}`,
  })
}
