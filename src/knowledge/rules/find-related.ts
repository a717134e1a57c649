import { ALL } from "../../graph/indexes.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { relationOf } from "./same-subject.ts"

export interface RelatedMems {
  same: Mem[]
  replaced: Mem[]
  /** Mems that are probably replaced: they stay beside the new mem, and the agent that saves it is asked. */
  conflicts: Mem[]
}

/** Compares a text with all rules and the newest saved mems. Scans and extraction update their own mems. */
export function findRelated(state: Pick<GraphState, "mem">, content: string, kind: Mem["kind"]): RelatedMems {
  const related: RelatedMems = { same: [], replaced: [], conflicts: [] }
  if (!COMPARED_KINDS.has(kind)) return related
  const words = longWords(content)
  for (const rule of state.mem.by("rule", ALL)) compare(rule)
  if (kind === "rule") return related
  for (const mem of first(MAX_COMPARED, state.mem.by("standing", "saved").backwards())) {
    if (mem.kind === "rule" || mem.origin === "scan" || !COMPARED_KINDS.has(mem.kind)) continue
    if (mayBeRelated(words, mem)) compare(mem)
  }
  return related

  function compare(mem: Mem): void {
    const relation = relationOf(content, mem.content)
    if (relation === "same" && mem.kind === kind) related.same.push(mem)
    // Only a rule may replace a rule: what an agent saves as a decision or a fact must not end a rule of the user.
    else if (relation === "replaced" && (mem.kind !== "rule" || kind === "rule")) related.replaced.push(mem)
    else if (relation === "replaced" || relation === "conflict") related.conflicts.push(mem)
  }
}

/** Whether two texts share at least half of the longer words of one of them. Other pairs are not worth parsing. */
function mayBeRelated(words: ReadonlySet<string>, mem: Mem): boolean {
  const others = knownWords.get(mem) ?? longWords(mem.content)
  knownWords.set(mem, others)
  const shared = [...words].filter((word) => others.has(word)).length
  return shared >= Math.min(words.size, others.size) * SHARED_WORDS
}

function longWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z\u0080-\uffff]{4,}/g))
}

const knownWords = new WeakMap<Mem, ReadonlySet<string>>()
const SHARED_WORDS = 0.5
/** Kinds of mems that a newer mem can replace. False paths and insights stay true. */
const COMPARED_KINDS: ReadonlySet<Mem["kind"]> = new Set(["rule", "decision", "fact", "pattern"])
const MAX_COMPARED = 100
