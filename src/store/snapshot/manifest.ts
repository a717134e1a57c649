import { createHash } from "node:crypto"
import { join } from "node:path"
import * as z from "zod"
import { listFolder, readFile, readFileSync, rmSync, statSync, unlink } from "../files/hive-fs.ts"
import type { HivePaths } from "../files/layout.ts"
import { setAside } from "../files/text-file.ts"
import { createAtomicAsync, syncFolderAsync } from "../files/write-file.ts"
import { segmentSum } from "../log/line.ts"
import { numbersIn, sixDigits } from "../log/segments.ts"

const manifest = z.strictObject({
  number: z.int().min(0),
  /** The last log segment whose entries are in the parts. */
  through: z.int().min(0),
  seq: z.int().min(0),
  clock: z.int().min(0), // The highest clock of any entry.
  parts: z.array(z.strictObject({ file: z.string(), kind: z.string(), sum: z.string() })),
  /** Files of the archive, the newest last. A file whose size is not `bytes` is damaged. */
  archive: z.array(z.strictObject({ file: z.string(), mems: z.int().min(0), bytes: z.int().min(0) })),
  /** Ids of entries that have no effect, because another process wrote its entry first. */
  void: z.array(z.string()),
  /** When the manifest was written (ms). The files that it replaces are kept for an hour from then on. */
  at: z.number().default(0),
  /** Checksums of the segments that this fold sealed. The next seal repeats them. */
  sealed: z.array(segmentSum).default([]),
})
export type Manifest = z.infer<typeof manifest>
export type ArchiveFile = Manifest["archive"][number]

export const NO_MANIFEST: Manifest = {
  number: -1,
  through: 0,
  seq: 0,
  clock: 0,
  parts: [],
  archive: [],
  void: [],
  at: 0,
  sealed: [],
}

/** Commits a fold by creating its manifest in one step. Of two folds after the same manifest, only the first counts. */
export async function commitManifest(
  folder: string,
  next: Manifest,
): Promise<"made" | "taken" | "overtaken"> {
  if (!(await createAtomicAsync(pathOf(folder, next.number), textOf(next)))) return "taken"
  await syncFolderAsync(folder)
  return manifestNumbers(folder).at(-1) === next.number ? "made" : "overtaken"
}

/** Returns the newest usable manifest, the unusable ones after it, and the next free number. */
export function newestManifest(folder: string) {
  const unusable: { file: string; reason: string; isUnreadable: boolean }[] = []
  const numbers = manifestNumbers(folder)
  const next = (numbers.at(-1) ?? 0) + 1
  for (const number of numbers.reverse()) {
    const file = nameOf(number)
    try {
      const found = parse(readFileSync(join(folder, file), "utf8"), number)
      if (typeof found !== "string") return { manifest: found, unusable, next }
      unusable.push({ file, reason: found, isUnreadable: false })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      unusable.push({ file, reason, isUnreadable: true })
    }
  }
  return { manifest: NO_MANIFEST, unusable, next }
}

export async function readManifests(folder: string): Promise<Manifest[]> {
  const whole: Manifest[] = []
  for (const number of manifestNumbers(folder).reverse()) {
    // Skips an unreadable manifest, because loading the graph reports it.
    const text = String(await readFile(pathOf(folder, number)).catch(() => ""))
    const found = parse(text, number)
    if (typeof found !== "string") whole.push(found)
  }
  return whole
}

export function manifestNumbers(folder: string): number[] {
  return numbersIn(listFolder(folder), MANIFEST_NAME)
}

/** Returns a function that gives the newest manifest's archive files; undefined if that is unchanged since the last call. */
export function archiveWatch(folder: string): () => Manifest["archive"] | undefined {
  let known: number | undefined
  return () => {
    const newest = manifestNumbers(folder).at(-1)
    if (newest === known) return undefined
    known = newest
    return newestManifest(folder).manifest.archive
  }
}

export function removeManifest(folder: string, number: number): void {
  rmSync(pathOf(folder, number), { force: true })
}

/** Removes manifests replaced over an hour ago, and files that only they name. Files that were edited are renamed. */
export async function removeReplaced(paths: HivePaths, now: number): Promise<void> {
  const manifests = await readManifests(paths.graph)
  // Keeps the newest two, and those replaced less than an hour ago.
  const isKept = (n: number) => n < 2 || (n < MAX_KEPT && now - (manifests[n - 1]?.at ?? now) < GRACE_MS)
  const end = manifests.findIndex((_, n) => !isKept(n))
  const kept = manifests.slice(0, end < 0 ? undefined : end)
  const named = new Set(kept.flatMap(({ parts, archive }) => [...parts, ...archive].map(({ file }) => file)))
  const remove = async (path: string, isAsWritten: () => Promise<boolean>) => {
    try {
      if (await isAsWritten()) await unlink(path)
      else setAside(path, now)
    } catch {
      // The file is gone or cannot be removed. No manifest names it, so it does no harm.
    }
  }
  for (const manifest of manifests.slice(kept.length)) {
    for (const { file, sum } of manifest.parts.filter((part) => !named.has(part.file))) {
      const path = join(paths.parts, file)
      await remove(path, async () => checksum(await readFile(path)) === sum)
    }
    for (const { file, bytes } of manifest.archive.filter((each) => !named.has(each.file))) {
      const path = join(paths.archive, file)
      await remove(path, async () => statSync(path).size === bytes)
    }
    removeManifest(paths.graph, manifest.number)
  }
}

function parse(text: string, number: number): Manifest | string {
  const newline = text.indexOf("\n")
  try {
    const value: unknown = JSON.parse(text.slice(newline + 1))
    if (text.slice(0, newline) !== checksum(JSON.stringify(value))) return "its checksum does not match"
    const parsed = manifest.safeParse(value)
    if (!parsed.success) return "it is not a manifest"
    return parsed.data.number === number ? parsed.data : `it contains manifest ${parsed.data.number}`
  } catch {
    return "it is not valid JSON"
  }
}

function textOf(manifest: Manifest): string {
  const body = JSON.stringify(manifest)
  return `${checksum(body)}\n${body.replaceAll(',{"file"', ',\n{"file"')}\n`
}

function pathOf(folder: string, number: number): string {
  return join(folder, nameOf(number))
}

function nameOf(number: number): string {
  return `manifest.${sixDigits(number)}.json`
}

/** Detects accidental changes, not deliberate ones. */
export function checksum(bytes: Buffer | string): string {
  return createHash("sha1").update(bytes).digest("hex").slice(0, 16)
}

const MANIFEST_NAME = /^manifest\.(\d{6,9})\.json$/
// How long replaced manifests stay, so that a lost file can be restored from one of them.
const GRACE_MS = 60 * 60_000
const MAX_KEPT = 8
