import { join } from "node:path"
import { archiveFold } from "../archive/archive-name.ts"
import { setAside } from "../files/broken-file.ts"
import { checksum } from "../files/checksum.ts"
import { listFolder } from "../files/folder.ts"
import { readFile, unlink } from "../files/hive-fs.ts"
import type { HivePaths } from "../files/layout.ts"
import { type Manifest, readManifests, removeManifest } from "./manifest.ts"
import { foldOf } from "./parts.ts"

/** Removes what only older manifests name. A file that was changed after its time is kept, out of the way. */
export async function removeReplaced(paths: HivePaths, now: number): Promise<void> {
  const manifests = readManifests(paths.graph)
  const [newest, previous, ...older] = manifests
  if (newest === undefined) return
  const kept = new Set([newest, previous].flatMap((each) => (each === undefined ? [] : filesOf(each))))
  for (const manifest of older) {
    for (const { file, sum } of manifest.parts) if (!kept.has(file)) await removePart(paths, file, sum, now)
    removeManifest(paths.graph, manifest.number)
  }
  const named = new Set(manifests.flatMap(filesOf))
  for (const file of listFolder(paths.parts)) {
    const fold = foldOf(file)
    if (fold !== undefined && fold <= newest.through && !named.has(file))
      await removeQuietly(join(paths.parts, file))
  }
  for (const file of listFolder(paths.archive)) {
    const fold = archiveFold(file)
    if (fold !== undefined && fold <= newest.through && !named.has(file))
      await removeQuietly(join(paths.archive, file))
  }
}

function filesOf({ parts, archive }: Manifest): string[] {
  return [...parts, ...archive].map(({ file }) => file)
}

async function removePart(paths: HivePaths, file: string, sum: string, now: number): Promise<void> {
  const path = join(paths.parts, file)
  try {
    if (checksum(await readFile(path)) === sum) await unlink(path)
    else await setAside(path, now)
  } catch {
    // Gone already, or out of reach: it is not named any more, and does no harm.
  }
}

async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => {}) // Another process was faster.
}
