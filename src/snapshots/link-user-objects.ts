import { copyFileSync, existsSync, linkSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { listNamesOrEmpty } from "../shared/lenient-files.ts"
import type { Pausing } from "../shared/slices.ts"
import { systemCode } from "../shared/system-error.ts"

/** Hard-links the user's git objects into the private repository, so that `git gc` cannot delete content of a snapshot. */
export function userObjectLinker(from: string, to: string) {
  /** The modification time of each folder when it was last linked. */
  const seen = new Map<string, number>()
  let canLink = true

  function linkFile(name: string): void {
    const target = join(to, name)
    try {
      if (canLink) linkSync(join(from, name), target)
    } catch (error) {
      const code = systemCode(error)
      if (code === "EEXIST" || !existsSync(join(from, name))) return
      // Git removes empty folders while it repacks, so the target folder may be missing.
      if (code === "ENOENT") {
        mkdirSync(dirname(target), { recursive: true })
        linkFile(name)
        return
      }
      canLink = false // Source and target are on different file systems, or links are not supported.
    }
    const isPack = name.startsWith("pack/")
    // Without links, packs are not copied, as they may be large: git reads them through `alternates`.
    if (!canLink && !isPack && !existsSync(target)) copyFileSync(join(from, name), target)
    // A `.keep` file keeps git from repacking a linked pack. prune.ts removes it once the user's pack is gone.
    if (canLink && isPack) writeFileSync(target.replace(/\.\w+$/, ".keep"), "")
  }

  return function* linkAll(): Pausing<void> {
    for (const folder of listNamesOrEmpty(from).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))) {
      const changed = statSync(join(from, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (seen.get(folder) === changed) continue
      mkdirSync(join(to, folder), { recursive: true })
      // Links a pack before its index: as soon as git sees the index, it expects the pack.
      for (const name of listNamesOrEmpty(join(from, folder)).sort().reverse()) {
        if (/^([0-9a-f]+|pack-[0-9a-f]+\.(promisor|pack|idx))$/.test(name)) linkFile(`${folder}/${name}`)
        yield
      }
      // Files that are added within the same clock tick do not change the folder's time again.
      if (Date.now() - changed > COARSE_CLOCK_MS) seen.set(folder, changed)
    }
  }
}

const COARSE_CLOCK_MS = 2000
