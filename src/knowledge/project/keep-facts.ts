import { ALL } from "../../graph/indexes.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { derivedId } from "../../shared/ids.ts"
import { stampOf } from "../../shared/stamp.ts"
import { addOnce, knownMems } from "../extract/add-once.ts"
import { replaceMems } from "../extract/replace.ts"
import { memByRule } from "../memory/by-rule.ts"
import { withHashes } from "../memory/evidence.ts"
import { describeProject, type ProjectFact } from "./facts.ts"

/** What became of the mems about the project. */
export interface KeptFacts {
  /** New, or in the place of one that no longer holds. */
  made: Mem[]
  /** Facts that still hold, on files that have changed. */
  checked: number
  /** No longer true, and nothing came in their place. */
  ended: number
}

/**
 * Makes mems of what a scan has found out: a few, each with its files. One whose fact has changed is superseded, one
 * whose files have changed is checked by this very scan. Where nothing has changed, nothing is written.
 */
export async function keepProjectFacts(hive: Hive, caller: Caller, map: ProjectMap): Promise<KeptFacts> {
  const { store, source, dir } = hive
  const at = new Date(source.now()).toISOString()
  const stamp = stampOf(source.now())
  const current = describeProject(map).map((fact) => memOf(fact, { at, stamp, dir, branch: hive.branch() }))
  const before = [...store.read().state.mem.by("scanned", ALL)]
  const isKnown = knownMems(hive)
  const kept: KeptFacts = { made: [], checked: 0, ended: 0 }
  for (const mem of current) {
    const outdated = before.filter(({ id, tags }) => id !== mem.id && tags[0] === mem.tags[0])
    if (outdated.length > 0) kept.made.push(...(await replaceMems(hive, caller, outdated, mem)))
    else if (!isKnown(mem.id)) kept.made.push(...(await addOnce(hive, caller, [mem])))
    else kept.checked += await refreshEvidence(hive, caller, mem)
  }
  const topics = new Set(current.map(({ tags }) => tags[0]))
  const ended = before.filter(({ tags }) => !topics.has(tags[0] ?? ""))
  if (ended.length > 0) await replaceMems(hive, caller, ended, null)
  return { ...kept, ended: ended.length }
}

function memOf(
  { topic, content, files }: ProjectFact,
  { at, stamp, dir, branch }: { at: string; stamp: string; dir: string; branch: string | null },
): Mem {
  const mem = memByRule(
    {
      id: derivedId("project fact", topic, content),
      shelf: SHELF,
      origin: "scan",
      kind: "fact",
      content,
      session_id: null,
      stamp,
      tags: [topic],
      evidence: withHashes(dir, files),
      branch,
    },
    at,
    1,
  )
  // It holds until a scan finds that it does not.
  return { ...mem, stale_at: null, confidence: CONFIDENCE }
}

/** 1 where its files are others than those it was last checked with. */
async function refreshEvidence(
  { store }: Hive,
  caller: Caller,
  { id, evidence, updated_at }: Mem,
): Promise<number> {
  const isSame = (there: Mem | undefined) => there?.evidence.join("\n") === evidence.join("\n")
  const there = store.read().state.mem.get(id)
  if (there === undefined || there.status !== "active" || isSame(there)) return 0
  const { result } = await store.write(authorOf(caller), (tx) => {
    if (tx.get("mem", id)?.status !== "active" || isSame(tx.get("mem", id))) return 0
    tx.set("mem", id, { evidence, updated_at })
    return 1
  })
  return result
}

const SHELF = "project"
const CONFIDENCE = 0.9
