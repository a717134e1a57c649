import { moduleClaims } from "./claims.ts"
import { definedAfter, joined, toRecords } from "./comments.ts"
import { type Facts, withoutEmpty } from "./facts.ts"
import type { Language } from "./languages.ts"
import { findComments } from "./lexer.ts"
import { lineCounter } from "./lines.ts"
import { todosIn } from "./todos.ts"
import { yamlComments } from "./yaml-comments.ts"

/** Comments and todos of a file that no parser reads. */
export function readPlain(text: string, language: Language, note?: string): Facts {
  const lineAt = lineCounter(text)
  const found = language.name === "YAML" ? yamlComments(text) : findComments(text, language)
  const comments = joined(found, text)
  return withoutEmpty({
    comments: toRecords(comments, (comment) => definedAfter(text, comment), lineAt),
    todos: todosIn(comments, text, lineAt),
    claims: moduleClaims(comments, lineAt),
    ...(note !== undefined && { note }),
  })
}
