import type { MappedFile } from "../../schemas/codemap.ts"
import type { Pausing } from "../../shared/slices.ts"
import { readProjectFile } from "../files/read-file.ts"
import { isComponent } from "./source/component.ts"
import { isScript, languageOf } from "./source/languages.ts"
import { findComments } from "./source/lexer.ts"

/** Takes out of `names` every one that stands in the code of some file, comments aside. Files that do not name any are quick. */
export function* wordsInCode(
  dir: string,
  files: ReadonlyMap<string, MappedFile>,
  names: Set<string>,
): Pausing<void> {
  for (const { path } of files.values()) {
    if (names.size === 0) return
    const language = languageOf(path)
    if (language === undefined || !(isScript(path) || isComponent(path))) continue
    yield
    const found = readProjectFile(dir, path, MAX_BYTES)
    if (!("text" in found)) continue
    const { text } = found
    const candidates = [...names].filter((name) => text.includes(name))
    if (candidates.length === 0) continue
    const words = new Set(codeOf(text, findComments(text, language)).match(/[A-Za-z_$][\w$]*/g))
    for (const name of candidates) if (words.has(name)) names.delete(name)
  }
}

function codeOf(text: string, comments: readonly { start: number; end: number }[]): string {
  let code = ""
  let at = 0
  for (const { start, end } of comments) {
    code += `${text.slice(at, start)} `
    at = end
  }
  return code + text.slice(at)
}

const MAX_BYTES = 256 << 10
