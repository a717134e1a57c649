import type { ProjectMap } from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import { isGoverned } from "./governance.ts"
import type { KnownFile, ScanState } from "./scan-project.ts"

export interface Drift {
  added: string[]
  removed: string[]
  changed: string[]
  moved: { from: string; to: string }[]
  /** The number of changes in folders of other planning frameworks, which the lists above leave out. */
  governed: number
  facts: string[]
}

type Files = ReadonlyMap<string, KnownFile>
type ChangedFiles = Pick<Drift, "added" | "removed" | "changed">

export function* driftOf(before: ScanState, after: ScanState): Pausing<Drift> {
  const isTheirs = isGoverned([...before.map.governance, ...after.map.governance])
  const isOurs = (path: string) => !isTheirs(path)
  const found = yield* changedFiles(before.files, after.files)
  const { added, removed, changed } = found
  const moved = yield* movedFiles(found, before.files, after.files)
  const isMoved = new Set(moved.flatMap(({ from, to }) => [`from ${from}`, `to ${to}`]))
  const ours = {
    added: added.filter((path) => !isMoved.has(`to ${path}`) && isOurs(path)),
    removed: removed.filter((path) => !isMoved.has(`from ${path}`) && isOurs(path)),
    changed: changed.filter(isOurs),
    moved: moved.filter(({ from, to }) => isOurs(from) || isOurs(to)),
  }
  // A moved file is in `added` and in `removed`, but counts as one change.
  const total = added.length + removed.length + changed.length - moved.length
  return { ...ours, governed: total - countOf(ours), facts: changedFacts(before.map, after.map) }
}

export function isDrift(drift: Drift): boolean {
  return countOf(drift) + drift.facts.length > 0
}

function countOf({ added, removed, changed, moved }: Omit<Drift, "governed" | "facts">): number {
  return added.length + removed.length + changed.length + moved.length
}

export function* changedFiles(before: Files, after: Files): Pausing<ChangedFiles> {
  const found: ChangedFiles = { added: [], removed: [], changed: [] }
  let count = 0
  for (const [path, now] of after) {
    if (++count % PAUSE_EVERY === 0) yield
    const then = before.get(path)
    if (then === undefined) found.added.push(path)
    else if (then !== now && isChanged(then, now)) found.changed.push(path)
  }
  for (const path of before.keys()) {
    if (++count % PAUSE_EVERY === 0) yield
    if (!after.has(path)) found.removed.push(path)
  }
  return found
}

function isChanged(then: KnownFile, now: KnownFile): boolean {
  if (then.hash !== null && now.hash !== null) return then.hash !== now.hash
  const sizeAndTime = ({ signature }: KnownFile) => signature.split(" ", 2).join(" ")
  return sizeAndTime(then) !== sizeAndTime(now)
}

/** Pairs each removed file with the added file of the same content, if no other file has that content. */
function* movedFiles({ added, removed }: ChangedFiles, before: Files, after: Files): Pausing<Drift["moved"]> {
  if (added.length === 0 || removed.length === 0) return []
  const [gone, come] = [yield* byHash(removed, before), yield* byHash(added, after)]
  return [...gone].flatMap(([hash, [from = "", ...others]]) => {
    const [to, ...more] = come.get(hash) ?? []
    return to === undefined || others.length + more.length > 0 ? [] : [{ from, to }]
  })
}

function* byHash(paths: string[], files: Files): Pausing<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const [n, path] of paths.entries()) {
    if (n % PAUSE_EVERY === 0) yield
    const hash = files.get(path)?.hash
    const alike = found.get(hash ?? "")
    if (alike !== undefined) alike.push(path)
    else if (hash != null) found.set(hash, [path])
  }
  return found
}

function changedFacts(before: ProjectMap, after: ProjectMap): string[] {
  const old = new Set(before.dead_references.map(({ path, target }) => `${path}\n${target}`))
  const dead = after.dead_references.filter(({ path, target }) => !old.has(`${path}\n${target}`))
  return [
    ...changedValues("", versionsOf(before), versionsOf(after)),
    ...changedValues("package manager ", namesOf(before.managers), namesOf(after.managers)),
    ...changedValues("", commandsOf(before), commandsOf(after)),
    ...changedValues("", namesOf(before.governance), namesOf(after.governance)),
    ...dead.map(({ path, line, target }) => `dead reference in ${path}:${line}: ${target}`),
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

function namesOf(entries: readonly { name: string }[]): Map<string, string> {
  return new Map(entries.map(({ name }) => [name, ""]))
}

function versionsOf({ frameworks }: ProjectMap): Map<string, string> {
  return new Map(frameworks.map(({ name, version }) => [name, version ?? ""]))
}

function commandsOf({ commands }: ProjectMap): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { purpose, folder, command } of commands) {
    const key = `${purpose}${folder === "" ? "" : ` in ${folder}`}`
    texts.set(key, [...(texts.has(key) ? [texts.get(key)] : []), `\`${command}\``].join(", "))
  }
  return texts
}

const PAUSE_EVERY = 500
