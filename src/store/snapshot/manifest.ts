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
  /** One more than that of the manifest it follows. */
  number: z.int().min(0),
  /** The parts hold everything up to the end of this segment. */
  through: z.int().min(0),
  /** The number of the last ordered entry in them, and the highest clock. */
  seq: z.int().min(0),
  clock: z.int().min(0),
  /** Every part, with a checksum of its bytes. */
  parts: z.array(z.strictObject({ file: z.string(), kind: z.string(), sum: z.string() })),
  /** Files of archived mems, the newest last. */
  archive: z.array(z.strictObject({ file: z.string(), mems: z.int().min(0), bytes: z.int().min(0) })),
  /** Ids of entries up to there that do not count, because another one had come first. */
  void: z.array(z.string()),
  /** When this manifest was written (ms). Files of the previous one are deleted some time after it. */
  at: z.number().default(0),
  /** Checksums of the segments of this fold. The next seal repeats them. */
  sealed: z.array(segmentSum).default([]),
})
export type Manifest = z.infer<typeof manifest>

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

/**
 * The commit point of a fold: a file with the number after that of the manifest it started from, created in one step and
 * never replaced. So of two folds that started from the same manifest only the first counts: the other finds its number
 * taken, or, if it comes so late that the number is free again, finds higher numbers.
 */
export async function commitManifest(
  folder: string,
  next: Manifest,
): Promise<"made" | "taken" | "overtaken"> {
  if (!(await createAtomicAsync(pathOf(folder, next.number), textOf(next)))) return "taken"
  await syncFolderAsync(folder)
  return manifestNumbers(folder).at(-1) === next.number ? "made" : "overtaken"
}

export interface FoundManifest {
  manifest: Manifest
  /** Newer manifests that cannot be used, with the reason. */
  unusable: { file: string; reason: string; isUnreadable: boolean }[]
  /** The number of the manifest of the next fold. */
  next: number
}

/** The newest manifest that is whole. */
export function newestManifest(folder: string): FoundManifest {
  const unusable: FoundManifest["unusable"] = []
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

/** Every manifest that is whole, the newest first. */
export async function readManifests(folder: string): Promise<Manifest[]> {
  const whole: Manifest[] = []
  for (const number of manifestNumbers(folder).reverse()) {
    // Loading the graph reports one that cannot be read.
    const text = String(await readFile(pathOf(folder, number)).catch(() => ""))
    const found = parse(text, number)
    if (typeof found !== "string") whole.push(found)
  }
  return whole
}

export function manifestNumbers(folder: string): number[] {
  return numbersIn(listFolder(folder), MANIFEST_NAME)
}

/** Returns the files of the archive if there is a newer manifest than at the last call. */
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

/**
 * Removes manifests that were replaced some time ago, with the files that only they name. No other file is touched: a
 * manifest that is damaged or gone may have named it. A file that was changed since it was written is set aside instead.
 */
export async function removeReplaced(paths: HivePaths, now: number): Promise<void> {
  const manifests = await readManifests(paths.graph)
  // The one before the newest stays in any case, and so do those that were in use a short while ago.
  const isKept = (n: number) => n < 2 || (n < MAX_KEPT && now - (manifests[n - 1]?.at ?? now) < GRACE_MS)
  const end = manifests.findIndex((_, n) => !isKept(n))
  const kept = manifests.slice(0, end < 0 ? undefined : end)
  const named = new Set(kept.flatMap(({ parts, archive }) => [...parts, ...archive].map(({ file }) => file)))
  const remove = async (path: string, isAsWritten: () => Promise<boolean>) => {
    try {
      if (await isAsWritten()) await unlink(path)
      else setAside(path, now)
    } catch {
      // Gone already, or out of reach: no manifest names it any more, so it does no harm.
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
    if (text.slice(0, newline) !== checksum(JSON.stringify(value))) return "its checksum does not fit"
    const parsed = manifest.safeParse(value)
    if (!parsed.success) return "it is not a manifest"
    return parsed.data.number === number ? parsed.data : `it is the manifest ${parsed.data.number}`
  } catch {
    return "it is not valid JSON"
  }
}

/** One part per line, for people. */
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

/** Detects accidental changes of a file, not intended ones. */
export function checksum(bytes: Buffer | string): string {
  return createHash("sha1").update(bytes).digest("hex").slice(0, 16)
}

const MANIFEST_NAME = /^manifest\.(\d{6,9})\.json$/
// For so long a file that is gone or damaged can be put back from an older manifest.
const GRACE_MS = 60 * 60_000
// When much is written within a short time.
const MAX_KEPT = 8
