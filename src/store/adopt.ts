import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import type { HivePaths } from "./files/layout.ts"
import { type Manifest, manifestNumbers, newestManifest } from "./snapshot/manifest.ts"
import { partSum, readPart } from "./snapshot/part.ts"
import { asWritten, createParts, namedPart, type Part, signatureOf } from "./snapshot/parts.ts"
import { forgetFolded, type View } from "./view.ts"

/**
 * Another process has folded: the graph is the same, but it lies in other parts. Which record is in which of them is
 * read from those that are new. The view must have followed the log at least as far.
 */
export function* adoptNewest(view: View, paths: HivePaths, archive: Archive): Pausing<void> {
  const isNewer = (through: number) => through > view.base.through && through < view.position.segment
  // The segment was not sealed since, so nobody has folded.
  if (!isNewer(view.position.segment - 1)) return
  if (!isNewer(manifestNumbers(paths.graph).at(-1) ?? 0)) return
  const { manifest } = newestManifest(paths.graph)
  if (!isNewer(manifest.through)) return
  const known = new Map(Array.from(view.parts.all(), (part) => [part.file, part]))
  const parts = createParts()
  for (const named of manifest.parts) {
    const part = known.get(named.file)
    parts.add(part === undefined ? readIds(paths, named) : asWritten(part))
    yield
  }
  // It may have been paused, and another one may have come first.
  if (!isNewer(manifest.through)) return
  view.parts = parts
  archive.use(manifest.archive)
  forgetFolded(view, manifest)
  placeAnew(view)
}

/** What is not in the new parts yet has no place there either. */
function placeAnew(view: View): void {
  view.dirty.clear()
  view.unplaced = [...view.changed.values()].flatMap((changed) =>
    kinds.flatMap((kind) => Array.from(changed[kind].keys(), (id) => ({ kind, id }))),
  )
}

function readIds(paths: HivePaths, { file, kind: named, sum }: Manifest["parts"][number]): Part {
  const path = join(paths.parts, file)
  const kind = named as Kind
  const part = { ...namedPart(kind, file, sum), signature: signatureOf(path) }
  try {
    const bytes = readFileSync(path)
    // One that was changed by hand since is looked at anew.
    if (partSum(bytes) === sum) for (const { id } of readPart(kind, bytes)) part.ids.add(id)
    else part.signature = "changed"
  } catch {
    part.state = "unreadable"
  }
  return part
}
