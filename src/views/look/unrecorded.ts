import { injectedFile, injectedSessions } from "../../context/inject/injected-file.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { runInSlices } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { refusalFile } from "../../store/files/refusal-file.ts"

/** A session without a record in the graph, since it neither planned nor worked on a task: it is known by what it was told, what it took, or what it was refused. */
export interface Unrecorded {
  host_id: string
  agent: string | null
  /** Whose subagent it was. */
  parent: string | null
  created_at: string
  updated_at: string
}

export async function unrecordedSessions(hive: Hive): Promise<Unrecorded[]> {
  const { state } = hive.store.read()
  const paths = hivePaths(hive.home)
  const found = new Map<string, Unrecorded>()

  function add(host_id: string, at: string, agent: string | null = null, parent: string | null = null): void {
    if (sessionOf(state, host_id) !== undefined) return
    const known = found.get(host_id) ?? { host_id, agent, parent, created_at: at, updated_at: at }
    found.set(host_id, {
      host_id,
      agent: known.agent ?? agent,
      parent: known.parent ?? parent,
      created_at: at < known.created_at ? at : known.created_at,
      updated_at: at > known.updated_at ? at : known.updated_at,
    })
  }

  for (const { session, at, agent, parent } of (await runInSlices(hive.usage.all())).values())
    add(session, at, agent, parent)
  for (const { session, at, agent } of refusalFile(paths).read()) add(session, at, agent)
  for (const session of injectedSessions(paths)) {
    // Its file is read only where there is no record: most have one.
    if (sessionOf(state, session) !== undefined) continue
    for (const { at } of injectedFile(paths, session).read()) add(session, at)
  }
  return [...found.values()]
}
