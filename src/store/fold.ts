import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { GraphState } from "../graph/state.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { runInSlices } from "../shared/slices.ts"
import { adoptNewest } from "./adopt.ts"
import type { Archive } from "./archive/archive.ts"
import { archiveName } from "./archive/archive-name.ts"
import type { ArchiveFile } from "./archive/grow-archive.ts"
import { forgetFolded, placeChanges } from "./changes.ts"
import { setAside } from "./files/broken-file.ts"
import { syncFileAside, syncFolderAside } from "./files/folder.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import type { Append } from "./log/appender.ts"
import { sealSegment } from "./seal.ts"
import { commitManifest, type Manifest } from "./snapshot/manifest.ts"
import { isUnwritten, type Part, signatureOf } from "./snapshot/parts.ts"
import { removeReplaced } from "./snapshot/remove-replaced.ts"
import { type WrittenPart, writeParts } from "./snapshot/write-parts.ts"
import type { FoldReport } from "./store.ts"
import type { View } from "./view.ts"

export interface FoldInput {
  view: View
  paths: HivePaths
  archive: Archive
  now: number
  /** Tells this attempt's files from those of any other. */
  token: string
  /** Which mems may leave the hot set. */
  leaving: (state: GraphState, now: number) => Mem[]
  append: Append
  /** Puts into the log that these mems are in the archive now. */
  archiveMems: (mems: readonly Mem[]) => Promise<void>
}

/**
 * Writes what changed since the last fold into new parts, and makes that count in one step: a manifest that follows the
 * last one. Runs under the lock, and appends go on beside it. A crash before that step leaves files that nobody reads;
 * of a fold that lost the lock and wakes up late nothing counts. Segments stay where they are: together they are the log.
 */
export async function fold(input: FoldInput): Promise<FoldReport> {
  const { view } = input
  view.isFolding = true
  try {
    return await foldParts(input)
  } finally {
    view.isFolding = false
  }
}

async function foldParts(input: FoldInput): Promise<FoldReport> {
  const { view, paths, archive } = input
  await runInSlices(followLog(view, paths))
  const number = await runInSlices(adoptNewest(view, paths, archive))
  if (number === undefined) return { folded: false, note: "the log does not reach as far as the last fold" }
  const trouble = await troubledPart(input)
  if (trouble !== undefined) return { folded: false, note: trouble }
  const leaving = input.leaving(view.state, input.now).slice(0, MAX_LEAVING)
  if (view.changed.size === 0 && leaving.length === 0 && ![...view.parts.all()].some(isUnwritten))
    return { folded: false, note: "nothing new" }

  // Most of it is done before the seal, where it may pause.
  await runInSlices(placeChanges(view))
  const captured = await sealSegment(view, paths, input.append)
  const gone = Array.from(view.gone).flatMap(([id, at]) =>
    at <= captured.through && archive.holds(id) ? id : [],
  )
  const isSame = leaving.length === 0 && gone.length === 0
  const files = isSame ? archive.files() : await writeArchive(input, leaving, gone)
  const written = await writeParts(paths.parts, captured.dirty, captured.through, input.token)
  const manifest: Manifest = {
    number,
    through: captured.through,
    seq: captured.seq,
    clock: captured.clock,
    parts: namedParts(view, written),
    archive: [...files],
    void: [...view.base.void, ...captured.late],
  }
  const outcome = await commitManifest(paths.graph, manifest)
  if (outcome !== "made") {
    // Of one that was overtaken after it had counted, others may have taken the parts over.
    if (outcome === "taken")
      for (const { file } of written.values()) rmSync(join(paths.parts, file), { force: true })
    return { folded: false, note: "another process has folded" }
  }
  adoptOwn(view, manifest, written, paths)
  archive.use(files)
  // First where they go, then that they went: a crash between leaves them in both places, never in none.
  if (leaving.length > 0) await input.archiveMems(leaving)
  await removeReplaced(paths, input.now)
  return { folded: true, note: `folded up to segment ${manifest.through}` }
}

async function writeArchive(
  { archive, view, paths, token }: FoldInput,
  leaving: readonly Mem[],
  gone: readonly string[],
): Promise<ArchiveFile[]> {
  const name = archiveName(view.position.segment, token)
  const files = await runInSlices(archive.add(leaving, gone, name))
  await syncFileAside(join(paths.archive, name))
  // The names have to be durable before a manifest that names the file is.
  for (const folder of [paths.archive, paths.graph]) await syncFolderAside(folder)
  return files
}

function namedParts(view: View, written: ReadonlyMap<Part, WrittenPart>): Manifest["parts"] {
  return [...view.parts.all()].flatMap((part) => {
    const { file, sum } = written.get(part) ?? part
    return file === "" ? [] : [{ file, kind: part.kind, sum }]
  })
}

function adoptOwn(
  view: View,
  manifest: Manifest,
  written: ReadonlyMap<Part, WrittenPart>,
  paths: HivePaths,
): void {
  for (const [part, { file, sum }] of written) {
    view.dirty.delete(part)
    part.added.clear()
    part.removed.clear()
    if (file === "") {
      view.parts.drop(part)
      part.file = ""
    } else
      Object.assign(part, { file, sum, state: "as written", signature: signatureOf(join(paths.parts, file)) })
  }
  forgetFolded(view, manifest)
}

/** Why nothing may be folded now: a part cannot be read, or somebody is still editing one. */
async function troubledPart({ view, paths, now }: FoldInput): Promise<string | undefined> {
  for (const part of view.parts.all()) {
    const path = join(paths.parts, part.file)
    if (part.state === "unreadable") return `graph/parts/${part.file} cannot be read`
    if (part.state !== "broken") continue
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed === undefined) continue
    if (now - changed < EDITOR_MS)
      return `graph/parts/${part.file} is broken; waiting for its editor to finish`
    await setAside(path, now)
  }
  return undefined
}

const MAX_LEAVING = 5000
// An editor may save in steps, and a person may need a moment to see what is wrong.
const EDITOR_MS = 10 * 60_000
