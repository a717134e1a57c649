import { resolveId } from "../../graph/resolve-id.ts"
import type { Hive } from "../../hive/hive.ts"
import type { FileState } from "../../project/document/file-look.ts"
import { fileId } from "../../project/document/record-file.ts"
import { requireFile } from "../../project/document/require-file.ts"
import { ref } from "../../schemas/fields.ts"
import { HiveError } from "../../shared/error.ts"

/** What an anchor is related to: records by their ids, files by their paths. */
export interface Relations {
  ids: string[]
  files: { path: string; now: FileState }[]
}

export function relationsOf(hive: Hive, given: readonly string[]): Relations {
  const ids = new Set<string>()
  const files = new Map<string, FileState>()
  const { state } = hive.store.read()
  for (const each of given) {
    if (ref.safeParse(each).success) {
      ids.add(resolveId(state, "any", each))
      continue
    }
    const { path, now } = requireFile(hive.dir, each)
    if (now === null) throw missing(each)
    ids.add(fileId(path))
    files.set(path, now)
  }
  return { ids: [...ids], files: Array.from(files, ([path, now]) => ({ path, now })) }
}

function missing(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no file "${given}" to relate to.`,
    why: "related_to takes ids of records, or paths of files that are there.",
    use_instead: "Correct the path, or leave it out.",
    evidence: `related_to = ${given}`,
  })
}
