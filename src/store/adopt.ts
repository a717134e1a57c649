import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import type { HivePaths } from "./files/layout.ts"
import { type Manifest, newestManifest } from "./snapshot/manifest.ts"
import { partSum, readPart } from "./snapshot/part.ts"
import { createParts, numberOf, type Part, signatureOf } from "./snapshot/parts.ts"
import { forgetFolded, type View } from "./view.ts"

/**
 * Another process has folded: the graph is the same, but it lies in other parts. Which record is in which of them is
 * read from those that are new. The view must have followed the log at least as far.
 */
export function* adoptNewest(view: View, paths: HivePaths, archive: Archive): Pausing<void> {
  const { manifest } = newestManifest(paths.graph)
  if (manifest.through <= view.base.through || manifest.through >= view.position.segment) return
  const known = new Map(Array.from(view.parts.all(), (part) => [part.file, part]))
  const parts = createParts()
  for (const named of manifest.parts) {
    parts.add(known.get(named.file) ?? readIds(paths, named))
    yield
  }
  view.parts = parts
  archive.use(manifest.archive)
  forgetFolded(view, manifest)
}

function readIds(paths: HivePaths, { file, kind: named, sum }: Manifest["parts"][number]): Part {
  const path = join(paths.parts, file)
  const kind = named as Kind
  const part: Part = {
    kind,
    number: numberOf(file),
    file,
    sum,
    ids: new Set(),
    signature: signatureOf(path),
    state: "as written",
  }
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
