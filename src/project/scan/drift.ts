import type { ProjectMap } from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import { isGoverned } from "./governance/governance.ts"
import type { KnownFile } from "./look-at-file.ts"

/** What has changed between two scans: files, and what the map says. */
export interface Drift {
  added: string[]
  removed: string[]
  changed: string[]
  moved: { from: string; to: string }[]
  /** Changes that a governing framework has made in its own folders: not counted above. */
  governed: number
  /** Statements of the map that are others now. */
  facts: string[]
}

type Files = ReadonlyMap<string, KnownFile>

export function* driftOf(
  before: { map: ProjectMap; files: Files },
  after: { map: ProjectMap; files: Files },
): Pausing<Drift> {
  const isOthers = isGoverned([...before.map.governance, ...after.map.governance])
  const { added, removed, changed } = yield* changedFiles(before.files, after.files)
  yield
  const moved = yield* movedFiles(added, removed, before.files, after.files)
  const gone = new Set(moved.map(({ from }) => from))
  const come = new Set(moved.map(({ to }) => to))
  const ours = (path: string) => !isOthers(path)
  const all = {
    added: added.filter((path) => !come.has(path)),
    removed: removed.filter((path) => !gone.has(path)),
    changed,
  }
  const counted = {
    added: all.added.filter(ours),
    removed: all.removed.filter(ours),
    changed: all.changed.filter(ours),
    moved: moved.filter(({ from, to }) => ours(from) || ours(to)),
  }
  const total = all.added.length + all.removed.length + all.changed.length + moved.length
  const shown = counted.added.length + counted.removed.length + counted.changed.length + counted.moved.length
  return { ...counted, governed: total - shown, facts: changedFacts(before.map, after.map) }
}

export function isDrift({ added, removed, changed, moved, facts }: Drift): boolean {
  return added.length + removed.length + changed.length + moved.length + facts.length > 0
}

export function* changedFiles(
  before: Files,
  after: Files,
): Pausing<Pick<Drift, "added" | "removed" | "changed">> {
  const [added, changed, removed]: [string[], string[], string[]] = [[], [], []]
  let count = 0
  for (const [path, now] of after) {
    if (++count % PAUSE_EVERY === 0) yield
    const then = before.get(path)
    if (then === undefined) added.push(path)
    else if (then !== now && isChanged(then, now)) changed.push(path)
  }
  for (const path of before.keys()) {
    if (++count % PAUSE_EVERY === 0) yield
    if (!after.has(path)) removed.push(path)
  }
  return { added, removed, changed }
}

/** By its content where that was read, else by its size and time. */
function isChanged(then: KnownFile, now: KnownFile): boolean {
  if (then.hash !== null && now.hash !== null) return then.hash !== now.hash
  return sizeAndTime(then.signature) !== sizeAndTime(now.signature)
}

function sizeAndTime(signature: string): string {
  return signature.split(" ", 2).join(" ")
}

/** Gone there and come here with the same content; of several alike nobody can tell which. */
function* movedFiles(
  added: string[],
  removed: string[],
  before: Files,
  after: Files,
): Pausing<Drift["moved"]> {
  if (added.length === 0 || removed.length === 0) return []
  const [gone, come] = [yield* byHash(removed, before), yield* byHash(added, after)]
  const moved: Drift["moved"] = []
  for (const [hash, [from, ...others]] of gone) {
    const [to, ...more] = come.get(hash) ?? []
    if (from !== undefined && to !== undefined && others.length + more.length === 0) moved.push({ from, to })
  }
  return moved
}

function* byHash(paths: string[], files: Files): Pausing<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const [n, path] of paths.entries()) {
    if (n % PAUSE_EVERY === 0) yield
    const hash = files.get(path)?.hash
    if (hash == null) continue
    const alike = found.get(hash)
    if (alike === undefined) found.set(hash, [path])
    else alike.push(path)
  }
  return found
}

function changedFacts(before: ProjectMap, after: ProjectMap): string[] {
  return [
    ...changedValues("", valuesOf(before.frameworks, versionText), valuesOf(after.frameworks, versionText)),
    ...changedValues("package manager ", namesOf(before.managers), namesOf(after.managers)),
    ...changedValues("", commandsOf(before), commandsOf(after)),
    ...changedValues("", namesOf(before.governance), namesOf(after.governance)),
    ...deadChange(before, after),
  ]
}

function changedValues(what: string, before: Map<string, string>, after: Map<string, string>): string[] {
  const changes: string[] = []
  for (const [name, value] of after) {
    const then = before.get(name)
    if (then === undefined) changes.push(`${what}${name}${value === "" ? "" : ` ${value}`} is new`)
    else if (then !== value)
      changes.push(`${what}${name}: ${then || "no version"} → ${value || "no version"}`)
  }
  for (const name of before.keys()) if (!after.has(name)) changes.push(`${what}${name} is gone`)
  return changes
}

function valuesOf<T extends { name: string }>(entries: readonly T[], value: (entry: T) => string) {
  return new Map(entries.map((entry) => [entry.name, value(entry)]))
}

function namesOf(entries: readonly { name: string }[]): Map<string, string> {
  return valuesOf(entries, () => "")
}

function versionText({ locked, version }: ProjectMap["frameworks"][number]): string {
  return locked ?? version ?? ""
}

function commandsOf({ commands }: ProjectMap): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { purpose, folder, command } of commands) {
    const key = `${purpose}${folder === "" ? "" : ` in ${folder}`}`
    const there = texts.get(key)
    texts.set(key, there === undefined ? `\`${command}\`` : `${there}, \`${command}\``)
  }
  return texts
}

function deadChange(before: ProjectMap, after: ProjectMap): string[] {
  const keyOf = ({ path, target }: ProjectMap["dead_references"][number]) => `${path}\n${target}`
  const known = new Set(before.dead_references.map(keyOf))
  const fresh = after.dead_references.filter((each) => !known.has(keyOf(each)))
  return fresh.map(({ path, line, target }) => `dead reference in ${path}:${line}: ${target}`)
}

const PAUSE_EVERY = 500
