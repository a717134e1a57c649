import type { Pausing } from "../../shared/slices.ts"
import { runInSlices } from "../../shared/slices.ts"
import { HIVE_FOLDER } from "../../store/files/layout.ts"
import { runGit } from "../git/run-git.ts"

/** What git says of a work tree: the commit it stands at, and every file that differs from it. */
export interface GitStatus {
  /** null before the first commit. */
  head: string | null
  /** By path, relative to the folder: what the commit has there, as `mode id`; null where it has nothing. */
  files: Map<string, Listed>
  /** There were more than are kept. */
  isCut: boolean
}

interface Listed {
  inHead: string | null
  /** The mode of what lies there; null where git does not look after it. */
  mode: string | null
  isFolder: boolean
}

/** One process of git, which takes no lock and writes nothing. `prefix`: where the folder lies in its repository. */
export async function readStatus(dir: string, prefix: string): Promise<GitStatus> {
  const args = [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--untracked-files=all",
    "--no-renames",
    "--",
    ".",
  ]
  const output = await runGit(dir, args, { timeoutMs: LIMIT_MS })
  return runInSlices(parse(output, prefix))
}

/** What two commits have at the paths where they differ, as `mode id`. */
export async function changedBetween(
  dir: string,
  from: string | null,
  to: string | null,
): Promise<Map<string, { before: string | null; after: string | null }>> {
  if (from === to) return new Map()
  const empty = EMPTY_TREES.find(({ length }) => length === (from ?? to ?? "").length) ?? EMPTY_TREES[0]
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--relative", from ?? empty, to ?? empty]
  return runInSlices(parseDiff(await runGit(dir, args, { timeoutMs: LIMIT_MS })))
}

function* parse(output: Buffer, prefix: string): Pausing<GitStatus> {
  const status: GitStatus = { head: null, files: new Map(), isCut: false }
  for (const record of records(output)) {
    yield
    if (record.startsWith("# branch.oid ")) {
      const oid = record.slice("# branch.oid ".length)
      status.head = /^[0-9a-f]+$/.test(oid) ? oid : null
    }
    const listed = readRecord(record)
    if (listed === undefined || !listed.path.startsWith(prefix)) continue
    const path = listed.path.slice(prefix.length)
    if (path.startsWith(`${HIVE_FOLDER}/`)) continue
    status.isCut = status.files.size >= MAX_FILES
    if (status.isCut) break
    // Taken out of the index and still there, a file is listed twice: once with what the commit has.
    const known = status.files.get(path)
    const { mode, isFolder } = listed
    status.files.set(path, { mode, isFolder, inHead: listed.inHead ?? known?.inHead ?? null })
  }
  return status
}

function readRecord(record: string): (Listed & { path: string }) | undefined {
  const sort = record[0]
  if (sort === "?") {
    const path = record.slice(2)
    // Another repository, which git does not look into.
    return { path: path.replace(/\/$/, ""), inHead: null, mode: null, isFolder: path.endsWith("/") }
  }
  // `1 XY sub mH mI mW hH hI path` and `u XY sub m1 m2 m3 mW h1 h2 h3 path`; a path may have blanks.
  const before = sort === "1" ? 8 : sort === "u" ? 10 : undefined
  if (before === undefined) return undefined
  const fields = record.split(" ")
  const path = fields.slice(before).join(" ")
  const [inHead = "", id = "", here = ""] =
    sort === "1" ? [fields[3], fields[6], fields[5]] : [fields[4], fields[8], fields[6]]
  const mode = NO_MODE.test(here) ? null : here
  return { path, inHead: entry(inHead, id), mode, isFolder: fields[2]?.startsWith("S") ?? false }
}

function* parseDiff(output: Buffer): Pausing<Map<string, { before: string | null; after: string | null }>> {
  const found = new Map<string, { before: string | null; after: string | null }>()
  let ids: string[] = []
  for (const record of records(output)) {
    yield
    if (record.startsWith(":")) ids = record.slice(1).split(" ")
    else {
      const [oldMode = "", newMode = "", oldId = "", newId = ""] = ids
      if (!record.startsWith(`${HIVE_FOLDER}/`))
        found.set(record, { before: entry(oldMode, oldId), after: entry(newMode, newId) })
    }
  }
  return found
}

function* records(output: Buffer): Generator<string, void, void> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at)
    yield output.toString("utf8", at, end < 0 ? output.length : end)
    at = end < 0 ? output.length : end + 1
  }
}

function entry(mode: string, id: string): string | null {
  return NO_MODE.test(mode) ? null : `${mode} ${id}`
}

const NO_MODE = /^0+$/
const LIMIT_MS = 10_000
// A tree with more untracked files than that has a folder that git should ignore.
const MAX_FILES = 50_000
const EMPTY_TREES = [
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
] as const
