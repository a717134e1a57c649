import type { Pausing } from "../shared/slices.ts"
import { adoptNewest } from "./adopt.ts"
import type { Archive } from "./archive/archive.ts"
import type { HivePaths } from "./files/layout.ts"
import { guard } from "./guard.ts"
import type { View } from "./view.ts"

/**
 * What has to be done after another process has folded, or somebody has edited a file: the new parts are the ones that
 * people edit from now on, and an edit may have broken links. Readers do a little of it at a time, writers all of it.
 */
export function* settle(view: View, paths: HivePaths, archive: Archive): Pausing<void> {
  // Every fold seals a segment first: where none was sealed since the last one, there is nothing to look for.
  const isSealed = view.position.segment > view.base.through + 1
  if (isSealed && !view.isFolding) yield* adoptNewest(view, paths, archive)
  while (view.isUnguarded) yield* guard(view, archive)
}
