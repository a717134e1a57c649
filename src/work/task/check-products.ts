import { posix } from "node:path"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { WorktreeChanges } from "../../snapshots/detect-changes.ts"

/** What changed while a check ran. */
export type CheckChanges = Pick<WorktreeChanges, "changed" | "created" | "gone">

/**
 * What a check writes itself: reports, snapshots, caches. No run can tell its own files from those that somebody wrote
 * beside it; but what comes up in every run is the check's. A file is known by its name without numbers, one that is new
 * or gone also by its folder, since such names are often made up.
 */
export function writtenPlaces({ changed, created, gone }: CheckChanges): Set<string> {
  const places = new Set<string>()
  for (const path of changed) {
    places.add(withoutNumbers(path))
    const folder = folderOf(path)
    if (folder !== "" && (created.has(path) || gone.has(path))) places.add(`${folder}/${NEW}`)
  }
  return places
}

/** The files among the changes that no such place accounts for. */
export function otherChanges(changes: CheckChanges, places: ReadonlySet<string>): string[] {
  const { changed, created, gone } = changes
  return changed.filter((path) => {
    if (places.has(withoutNumbers(path)) || places.has(`${folderOf(path)}/`)) return false
    return !((created.has(path) || gone.has(path)) && places.has(`${folderOf(path)}/${NEW}`))
  })
}

/** As they are recorded with a run. Where there are very many, files are named by their folders. */
export function keptPlaces(places: ReadonlySet<string>): string[] {
  const all = [...places]
  if (all.length <= MAX_PLACES) return all
  const folders = all.map((place) => {
    const folder = posix.dirname(place)
    return place.endsWith(NEW) || folder === "." ? place : `${folder}/`
  })
  return [...new Set(folders)].slice(0, MAX_PLACES)
}

/** The places that at least two of the last runs of a check have written, whichever task they were for. */
export function knownPlaces(state: GraphState, verify: string): Set<string> {
  const runs = first(RUNS_ASKED, state.checkpoint.by("checked", verify).backwards())
  const once = new Set<string>()
  const known = new Set<string>()
  for (const { run } of runs)
    for (const place of run?.changed ?? []) {
      if (once.has(place)) known.add(place)
      once.add(place)
    }
  return known
}

function folderOf(path: string): string {
  const folder = posix.dirname(withoutNumbers(path))
  return folder === "." ? "" : folder
}

/** Dates, process ids, hashes: what differs from run to run in the name of a report. */
function withoutNumbers(path: string): string {
  return path.replace(UUIDS, "#").replace(/\b(?=[a-f]*\d)[0-9a-f]{6,}\b|\d+/gi, "#")
}

const UUIDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** Marks a folder of which only new and deleted files are the check's. */
const NEW = "+"
const MAX_PLACES = 200
const RUNS_ASKED = 20
