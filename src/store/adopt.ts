import { join } from "node:path"
import { recordsOf } from "../graph/state.ts"
import { type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { forgetFolded } from "./changes.ts"
import { checksum } from "./files/checksum.ts"
import { readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { type Manifest, manifestNumbers, newestManifest } from "./snapshot/manifest.ts"
import { readEditedPart, readPart } from "./snapshot/part.ts"
import { asWritten, createParts, namedPart, type Part, signatureOf } from "./snapshot/parts.ts"
import type { View } from "./view.ts"

/**
 * Another process has folded: the graph is the same, but it lies in other parts. Which record is in which of them is
 * read from those that are new. Returns the number of the manifest that a fold may make now, or undefined where this
 * view does not reach as far as the newest manifest.
 */
export function* adoptNewest(view: View, paths: HivePaths, archive: Archive): Pausing<number | undefined> {
  const newest = manifestNumbers(paths.graph).at(-1)
  if (newest === view.base.number) return newest + 1
  const { manifest, next } = newestManifest(paths.graph)
  // Where the manifest of this view, or a newer one, is lost, this view still knows all that it said.
  if (manifest.number <= view.base.number) return Math.max(next, view.base.number + 1)
  if (manifest.through >= view.position.segment) return undefined
  const known = new Map(Array.from(view.parts.all(), (part) => [part.file, part]))
  const parts = createParts()
  for (const named of manifest.parts) {
    const part = known.get(named.file)
    parts.add(part === undefined ? readIds(paths, named) : asWritten(part))
    yield
  }
  // It may have been paused, and another one may have come first.
  if (manifest.number <= view.base.number) return undefined
  view.parts = parts
  archive.use(manifest.archive)
  forgetFolded(view, manifest)
  placeAnew(view)
  yield* placeUnnamed(view)
  return next
}

/** Of a part that is gone or damaged nobody can tell what was in it: what has no place now gets one. */
function* placeUnnamed(view: View): Pausing<void> {
  const damaged = [...view.parts.all()].filter(
    ({ state, signature }) => state !== "as written" || signature === CHANGED,
  )
  for (const kind of new Set(damaged.map((part) => part.kind))) {
    for (const id of [...recordsOf(view.state, kind).keys()]) {
      if (view.parts.find(kind, id) === undefined) view.unplaced.push({ kind, id })
      yield
    }
  }
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
    const isAsWritten = checksum(bytes) === sum
    const records = isAsWritten ? readPart(kind, bytes) : readEditedPart(file, kind, bytes).records
    for (const { id } of records) part.ids.add(id)
    // One that was changed by hand since is looked at anew.
    if (!isAsWritten) part.signature = CHANGED
  } catch {
    part.state = "unreadable"
  }
  return part
}

const CHANGED = "changed"
