import { relative } from "node:path"
import { recordsOf } from "../../graph/state.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import type { Pausing } from "../../shared/slices.ts"
import type { HivePaths } from "../files/layout.ts"
import { readLegacy } from "./legacy.ts"
import { isUpgraded, legacyFiles } from "./legacy-files.ts"

export interface Leftovers {
  /** Relative to `.hivemind/`. */
  files: string[]
  /** What is in them, without metrics. */
  records: { kind: Kind; record: AnyRecord }[]
}

/**
 * Files of format 1 in a folder that was upgraded: git has brought them with a branch that has them. Nothing reads them,
 * and somebody who still works with version 0.1 may have gone on in them.
 */
export function* findLeftovers(paths: HivePaths): Pausing<Leftovers> {
  const files = isUpgraded(paths) ? legacyFiles(paths).map((path) => relative(paths.root, path)) : []
  if (files.length === 0) return { files, records: [] }
  const { state, archived } = yield* readLegacy(paths)
  const all = kinds.flatMap((kind) =>
    [...recordsOf(state, kind).values()].map((record) => ({ kind, record })),
  )
  const mems = archived.map((record) => ({ kind: "mem" as const, record }))
  return { files, records: [...all, ...mems].filter(({ kind }) => kind !== "metrics") }
}
