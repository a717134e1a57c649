import { createHash } from "node:crypto"
import type { FileState, FileStatusLookup } from "../../src/project/document/file-status.ts"
import { isMarkdown, sectionsOf } from "../../src/project/document/sections.ts"

/** A project's files in memory: texts by path. A missing path is a missing file; undefined is one that cannot be read. */
export function filesOf(texts: Record<string, string | undefined>): FileStatusLookup {
  return (path) => {
    if (!Object.hasOwn(texts, path)) return null
    const text = texts[path]
    return text === undefined ? undefined : stateOf(path, text)
  }
}

export function stateOf(path: string, text: string): FileState {
  const hash = createHash("sha256").update(text).digest("hex")
  return { hash, sections: isMarkdown(path) ? sectionsOf(text) : [] }
}
