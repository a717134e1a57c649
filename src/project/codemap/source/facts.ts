import type { MappedFile } from "../../../schemas/codemap.ts"

/** What the text of a file tells. Lists that would be empty are left out, so that a map stays small. */
export type Facts = Pick<
  MappedFile,
  "imports" | "exports" | "symbols" | "comments" | "todos" | "claims" | "note" | "unparsed"
>

export function withoutEmpty(facts: Facts): Facts {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts))
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) kept[name] = value
  return kept
}
