import { join } from "node:path"
import * as z from "zod"
import { createAtomicAside } from "../files/atomic-write.ts"
import { checksum } from "../files/checksum.ts"
import { listFolder, syncFolderAside } from "../files/folder.ts"
import { readFile, readFileSync, rmSync } from "../files/hive-fs.ts"
import { sixDigits } from "../files/number.ts"
import { segmentSum } from "../log/line.ts"

const manifest = z.strictObject({
  /** One more than that of the manifest it follows. */
  number: z.int().min(0),
  /** The parts hold everything up to the end of this segment. */
  through: z.int().min(0),
  /** The number of the last ordered entry in them, and the highest clock. */
  seq: z.int().min(0),
  clock: z.int().min(0),
  /** Every part with a checksum of its bytes. */
  parts: z.array(z.strictObject({ file: z.string(), kind: z.string(), sum: z.string() })),
  /** Files of archived mems, the newest last. */
  archive: z.array(z.strictObject({ file: z.string(), mems: z.int().min(0), bytes: z.int().min(0) })),
  /** Entries up to there that came too late to count. */
  void: z.array(z.string()),
  /** When it was made (ms): the files that it replaced are kept for a while. */
  at: z.number().default(0),
  /** Checksums of the segments that this fold took in. The next seal repeats them. */
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
 * The commit point of a fold: a file with the number after that of the manifest it started from, made in one step and
 * never replaced. So of two folds that started from the same one, only the first counts: the other finds its number
 * taken, or, if it comes so late that the number is free again, higher ones beside it.
 */
export async function commitManifest(
  folder: string,
  next: Manifest,
): Promise<"made" | "taken" | "overtaken"> {
  if (!(await createAtomicAside(pathOf(folder, next.number), textOf(next)))) return "taken"
  await syncFolderAside(folder)
  return manifestNumbers(folder).at(-1) === next.number ? "made" : "overtaken"
}

export interface FoundManifest {
  manifest: Manifest
  /** Newer ones that cannot be used, with the reason. */
  unusable: { file: string; reason: string; isUnreadable: boolean }[]
  /** The number that a fold has to take that starts from it. */
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
      unusable.push({
        file,
        reason: error instanceof Error ? error.message : String(error),
        isUnreadable: true,
      })
    }
  }
  return { manifest: NO_MANIFEST, unusable, next }
}

/** Every manifest that is whole, the newest first. One at a time: a manifest can name a thousand parts. */
export async function readManifests(folder: string): Promise<Manifest[]> {
  const whole: Manifest[] = []
  for (const number of manifestNumbers(folder).reverse()) {
    // One that cannot be read is reported when the graph is loaded.
    const text = String(await readFile(pathOf(folder, number)).catch(() => ""))
    const found = parse(text, number)
    if (typeof found !== "string") whole.push(found)
  }
  return whole
}

export function manifestNumbers(folder: string): number[] {
  return listFolder(folder)
    .flatMap((name) => MANIFEST_NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

/** Tells which files the archive has, if a newer manifest has come since it was last asked. */
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

const MANIFEST_NAME = /^manifest\.(\d{6,9})\.json$/
