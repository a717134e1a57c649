import { join } from "node:path"
import { setAside } from "../files/broken-file.ts"
import { checksum } from "../files/checksum.ts"
import { readFile, statSync, unlink } from "../files/hive-fs.ts"
import type { HivePaths } from "../files/layout.ts"
import { readManifests, removeManifest } from "./manifest.ts"

/**
 * Removes manifests that were replaced some time ago, with the files that only they name. No other file is touched: a
 * manifest that is damaged or gone may have named it. A file that was changed after its time is kept, out of the way.
 */
export async function removeReplaced(paths: HivePaths, now: number): Promise<void> {
  const manifests = await readManifests(paths.graph)
  // The one before the newest stays in any case, and so do those that were in use a short while ago.
  const isKept = (n: number) => n < 2 || (n < MAX_KEPT && now - (manifests[n - 1]?.at ?? now) < GRACE_MS)
  const end = manifests.findIndex((_, n) => !isKept(n))
  const kept = manifests.slice(0, end < 0 ? undefined : end)
  const named = new Set(kept.flatMap(({ parts, archive }) => [...parts, ...archive].map(({ file }) => file)))
  for (const manifest of manifests.slice(kept.length)) {
    for (const { file, sum } of manifest.parts)
      if (!named.has(file))
        await removeFile(join(paths.parts, file), now, async (path) => checksum(await readFile(path)) === sum)
    for (const { file, bytes } of manifest.archive)
      if (!named.has(file))
        await removeFile(join(paths.archive, file), now, async (path) => statSync(path).size === bytes)
    removeManifest(paths.graph, manifest.number)
  }
}

async function removeFile(
  path: string,
  now: number,
  isAsWritten: (path: string) => Promise<boolean>,
): Promise<void> {
  try {
    if (await isAsWritten(path)) await unlink(path)
    else await setAside(path, now)
  } catch {
    // Gone already, or out of reach: it is not named any more, and does no harm.
  }
}

// A file that is gone or damaged can be put back from an older manifest for so long.
const GRACE_MS = 60 * 60_000
// When much is written within a short time.
const MAX_KEPT = 8
