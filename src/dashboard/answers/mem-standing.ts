import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDecision } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { changedEvidence, evidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"

/** What a mem can be looked for by, beside its words, kind and shelf. */
type Standing = "open" | "changed" | "invalidated" | "superseded"

export function standingIn(text: string): Standing | undefined {
  return STANDINGS.find((each) => each === text)
}

/** The mems that stand so, the newest first. Those that were replaced are looked for in the archive, too. */
export async function memsStanding(hive: Hive, standing: Standing): Promise<Mem[]> {
  const found = await runInSlices(standing === "superseded" ? replaced(hive) : hot(hive, standing))
  return found.sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
}

function* hot({ store, dir }: Hive, standing: Exclude<Standing, "superseded">): Pausing<Mem[]> {
  const { mem } = store.read().state
  if (standing === "open") return [...mem.by("in_force", ALL)].filter(isOpenDecision)
  if (standing === "invalidated") return [...mem.values()].filter(({ status }) => status === "invalidated")
  const check = evidenceCheck(dir)
  const changed: Mem[] = []
  for (const each of mem.by("in_force", ALL)) {
    if (each.evidence.length === 0) continue
    if (changedEvidence(each.evidence, check).length > 0) changed.push(each)
    yield
  }
  return changed
}

function* replaced({ store }: Hive): Pausing<Mem[]> {
  const { mem } = store.read().state
  const found = [...mem.values()].filter(({ status }) => status === "superseded")
  for (const each of store.archive.walk((id) => mem.has(id))) {
    if (each === undefined) yield
    else if (each.status === "superseded") found.push(each)
  }
  return found
}

const STANDINGS: readonly Standing[] = ["open", "changed", "invalidated", "superseded"]
