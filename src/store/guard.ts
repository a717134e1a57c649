import { guardChains } from "../graph/chain.ts"
import { recordsOf } from "../graph/state.ts"
import { kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { note, type View } from "./view.ts"

/** Walks every link. Nothing is decided while a part cannot be read: what is missing may only be out of reach. */
export function* guard(view: View, archive: Archive): Pausing<void> {
  view.isUnguarded = false
  if ([...view.parts.all()].some(({ state }) => state === "unreadable")) return
  bringBack(view)
  view.problems = view.problems.filter(({ code }) => code !== "broken_link")
  const quarantined = new Set(view.problems.flatMap(({ id }) => id ?? []))
  view.missing.clear()
  const found = yield* guardChains(view.state, {
    // This view may be newer than the one that the archive goes by.
    isArchived: (id) => !view.gone.has(id) && archive.has(id),
    // What is not found may stand in a line of the archive that is damaged.
    mayReturn: (id) => quarantined.has(id) || archive.problems().length > 0,
    onMissing: (id) => view.missing.add(id),
    onTakenOut: (kind, record) => view.takenOut[kind].set(record.id, record),
  })
  view.repairs.push(...found.repairs)
  for (const problem of found.problems) {
    const part =
      problem.kind === null || problem.id === null ? undefined : view.parts.find(problem.kind, problem.id)
    note(view, part === undefined ? problem : { ...problem, file: `graph/parts/${part.file}` })
  }
}

/** What their links lead to may be there again. */
export function bringBack(view: View): void {
  for (const kind of kinds) {
    const records = recordsOf(view.state, kind)
    for (const [id, record] of view.takenOut[kind]) if (!records.has(id)) records.set(id, record)
    view.takenOut[kind].clear()
  }
}
