import { type Dirent, lstatSync, readdirSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { inParts } from "./files-tree.ts"
import { DEPENDENCY_FOLDERS, type PrivateRepository, runPrivate } from "./private-repository.ts"
import type { LeftOut } from "./state.ts"

export interface ExtraLimits {
  maxIgnoredBytes: number
  maxNestedBytes: number
  /** Of one ignored folder or nested repository. */
  maxFiles: number
  /** Of all of them. */
  maxTotalBytes: number
}

/**
 * Keeps what git does not take into a tree: small ignored files (`.env`, a local database), and nested repositories with
 * their `.git`. Dependency, build and cache folders are not looked into.
 */
export function extraTree(repository: PrivateRepository) {
  const { top } = repository
  /** What was read, by path. */
  let known = new Map<string, Found & { oid: string }>()
  let last: string | undefined

  return async function takeExtra(
    ignored: readonly string[],
    nested: readonly string[],
    limits: ExtraLimits,
    scratch: string,
  ): Promise<{ tree: string; leftOut: LeftOut[] }> {
    const { found, leftOut } = await runInSlices(findExtra(top, ignored, nested, limits))
    const isNew = ({ path, signature }: Found) => known.get(path)?.signature !== signature
    const fresh = found.filter(isNew)
    if (fresh.length === 0 && found.length === known.size && last !== undefined)
      return { tree: last, leftOut }
    const ids = await writeBlobs(fresh, scratch)
    const now: typeof known = new Map()
    for (const each of found) {
      const oid = ids.get(each.path) ?? (isNew(each) ? undefined : known.get(each.path)?.oid)
      if (oid !== undefined) now.set(each.path, { ...each, oid })
      else leftOut.push({ path: each.path, bytes: each.bytes, why: "unreadable" })
    }
    last = await writeTree([...now.values()], { GIT_INDEX_FILE: join(scratch, "extra") })
    known = now
    return { tree: last, leftOut }
  }

  /** The ids of their contents, without those that cannot be read. */
  async function writeBlobs(files: readonly Found[], scratch: string): Promise<Map<string, string>> {
    const ids = new Map<string, string>()
    const sources = files.map(({ path, link }, n) => {
      if (link === null) return { path, source: path }
      const source = join(scratch, `link-${n}`)
      writeFileSync(source, link)
      return { path, source }
    })
    await inParts(sources, async (part) => {
      const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"]
      const input = part.map(({ source }) => `${quoted(source)}\n`).join("")
      const output = (await runPrivate(repository, args, { input })).toString("latin1").trimEnd()
      for (const [n, id] of output.split("\n").entries()) ids.set(part[n]?.path ?? "", id)
    })
    return ids
  }

  async function writeTree(files: readonly (Found & { oid: string })[], env: Record<string, string>) {
    const input = files.map(({ path, mode, oid }) => `${mode} ${oid}\t${encodePath(path)}\0`).join("")
    await runPrivate(repository, ["update-index", "-z", "--index-info"], { env, input })
    return (await runPrivate(repository, ["write-tree"], { env })).toString("latin1").trim()
  }
}

interface Found {
  /** Relative to the top. */
  path: string
  /** Another one means that the file may have changed. */
  signature: string
  mode: string
  bytes: number
  link: string | null
}

function* findExtra(
  top: string,
  ignored: readonly string[],
  nested: readonly string[],
  limits: ExtraLimits,
): Pausing<{ found: Found[]; leftOut: LeftOut[] }> {
  const found: Found[] = []
  const leftOut: LeftOut[] = []
  let total = 0
  for (const path of ignored) {
    yield
    if (!path.endsWith("/") && !CAN_BE_MADE_AGAIN.test(path)) take(fileAt(top, path), found)
  }
  for (const path of ignored) if (path.endsWith("/")) yield* walk(path, isRepository(top, path))
  for (const path of nested) yield* walk(path, true)
  return { found, leftOut }

  function take(file: Found | undefined, files: Found[]): void {
    if (file === undefined) return
    const { path, bytes } = file
    if (bytes > limits.maxIgnoredBytes) leftOut.push({ path, bytes, why: "large" })
    else if (files.length > limits.maxFiles) leftOut.push({ path, bytes, why: "total" })
    else files.push(file)
  }

  /** A nested repository is kept whole or not at all, apart from its dependencies. */
  function* walk(folder: string, isWhole: boolean): Pausing<void> {
    const notKept = isWhole ? DEPENDENCIES : CAN_BE_MADE_AGAIN
    if (CAN_BE_MADE_AGAIN.test(folder) && !isWhole) return
    const files: Found[] = []
    const inside: string[] = []
    let bytes = 0
    for (const folders = [folder]; folders.length > 0; ) {
      const at = folders.pop() ?? ""
      for (const entry of entriesOf(join(top, at))) {
        yield
        const path = `${at}${entry.name}`
        if (entry.isDirectory()) {
          if (notKept.test(`${path}/`)) continue
          if (!isWhole && isRepository(top, `${path}/`)) inside.push(`${path}/`)
          else folders.push(`${path}/`)
          continue
        }
        const file = fileAt(top, path)
        if (isWhole && file !== undefined) files.push(file)
        else take(file, files)
        if (file !== undefined && files.at(-1) === file) bytes += file.bytes
        if (files.length <= limits.maxFiles && bytes <= limits.maxNestedBytes) continue
        leftOut.push({ path: folder, bytes, why: isWhole ? "nested" : "total" })
        return
      }
    }
    total += bytes
    if (total > limits.maxTotalBytes) leftOut.push({ path: folder, bytes, why: isWhole ? "nested" : "total" })
    else found.push(...files)
    for (const each of inside) yield* walk(each, true)
  }
}

function isRepository(top: string, folder: string): boolean {
  return lstatSync(join(top, folder, ".git"), { throwIfNoEntry: false }) !== undefined
}

function fileAt(top: string, path: string): Found | undefined {
  try {
    const stat = lstatSync(join(top, path), { bigint: true })
    if (!stat.isFile() && !stat.isSymbolicLink()) return undefined
    const { size, mtimeNs, ctimeNs, ino } = stat
    const link = stat.isSymbolicLink() ? readlinkSync(join(top, path)) : null
    const mode = link !== null ? "120000" : (stat.mode & 0o100n) === 0n ? "100644" : "100755"
    // Within one tick of the clock a file may change again without a trace.
    const now = Date.now()
    const isRecent = now - Number(ctimeNs / 1_000_000n) < CLOCK_TICK_MS
    const signature = `${size} ${mtimeNs} ${ctimeNs} ${ino} ${mode} ${isRecent ? now : ""}`
    return { path, mode, link, bytes: Number(size), signature }
  } catch {
    return undefined // It has gone meanwhile, or is not for us to see.
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Gone meanwhile, or not for us to see.
  }
}

/** As git itself prints a name that has quotes or line breaks in it. */
function quoted(path: string): string {
  const octal = (sign: string) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`
  const escaped = path.replace(/["\\\p{Cc}]/gu, (sign) => (sign < "\u0080" ? octal(sign) : sign))
  return escaped === path ? path : `"${escaped}"`
}

/** Git takes no name `.git` into a tree: it gets a sign at its end. */
function encodePath(path: string): string {
  return path.replace(/(^|\/)(\.git%*)(?=\/|$)/gi, "$1$2%")
}

export function decodePath(path: string): string {
  return path.replace(/(^|\/)(\.git%*)%(?=\/|$)/gi, "$1$2")
}

function folderNamed(names: readonly string[]): RegExp {
  return new RegExp(`(^|/)(${names.join("|").replaceAll(".", "\\.")})/`)
}

const DEPENDENCIES = folderNamed(DEPENDENCY_FOLDERS)
const CAN_BE_MADE_AGAIN = folderNamed([
  ...DEPENDENCY_FOLDERS,
  ...["vendor", "Pods", "virtualenv", "site-packages", ".eggs", ".gradle", ".terraform", "DerivedData"],
  ...[".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".parcel-cache", ".turbo", ".nyc_output"],
  ...[".next", ".nuxt", ".svelte-kit", ".angular", "coverage"],
  ...["dist", "build", "out", "target", "bin", "obj", "tmp", "log", "logs"],
])
const CLOCK_TICK_MS = 50
