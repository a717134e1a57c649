import { copyFileSync, existsSync, linkSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { listNamesOrEmpty } from "../shared/lenient-files.ts"
import type { Pausing } from "../shared/slices.ts"
import { systemCode } from "../shared/system-error.ts"

/**
 * Gives the private repository a hard link to every object file of the user's, so that `git gc`, `prune` and an expired
 * reflog cannot take content away from a snapshot. A link takes no space as long as the user's repository has the file.
 */
export function userObjectLinker(from: string, to: string) {
  /** When each folder last changed. */
  const seen = new Map<string, number>()
  let canLink = true

  function linkFile(name: string): void {
    const target = join(to, name)
    try {
      if (canLink) linkSync(join(from, name), target)
    } catch (error) {
      const code = systemCode(error)
      if (code === "EEXIST" || !existsSync(join(from, name))) return
      // Git removes empty folders while it repacks.
      if (code === "ENOENT") {
        mkdirSync(dirname(target), { recursive: true })
        linkFile(name)
        return
      }
      canLink = false // Another file system, or one without links.
    }
    const isPack = name.startsWith("pack/")
    // A pack may be large; without links, its content is borrowed only.
    if (!canLink && !isPack && !existsSync(target)) copyFileSync(join(from, name), target)
    // Repacking leaves it alone as long as the user's repository has it, too.
    if (canLink && isPack) writeFileSync(target.replace(/\.\w+$/, ".keep"), "")
  }

  return function* linkAll(): Pausing<void> {
    for (const folder of listNamesOrEmpty(from).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))) {
      const changed = statSync(join(from, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (seen.get(folder) === changed) continue
      mkdirSync(join(to, folder), { recursive: true })
      // A pack comes before its index, as git looks for the index.
      for (const name of listNamesOrEmpty(join(from, folder)).sort().reverse()) {
        if (/^([0-9a-f]+|pack-[0-9a-f]+\.(promisor|pack|idx))$/.test(name)) linkFile(`${folder}/${name}`)
        yield
      }
      // Within one tick of the clock more may come that does not show in the time.
      if (Date.now() - changed > COARSE_CLOCK_MS) seen.set(folder, changed)
    }
  }
}

const COARSE_CLOCK_MS = 2000
