import type { GraphState } from "../../graph/state.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { CodeLook } from "../../project/codemap/code-look.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { singleAnchorItem } from "./anchor-items.ts"
import { singleCodeItem } from "./code-items.ts"
import { singleConflictItem } from "./conflict-items.ts"
import type { Item, ItemRef } from "./item.ts"
import { avoidItem, decisionItem, memItem } from "./mem-items.ts"
import { singleTurnItem } from "./turn-items.ts"

export interface HiddenInput {
  state: GraphState
  now: number
  evidence: EvidenceCheck
  files: FileLook
  archived: (id: string) => Mem | undefined
  code: CodeLook
}

/**
 * A mem, an anchor, a conflict, a file of the code map or a turning point that the model knows and the block does not show now, as it would be
 * said: its words, its file or its age may have changed meanwhile. Undefined of anything else.
 */
export function hiddenItem(input: HiddenInput, { kind, id, role }: ItemRef): Item | undefined {
  const { state, now, evidence, files, archived, code } = input
  if (kind === "anchor") return singleAnchorItem({ state, now, files }, id, REASON)
  if (kind === "code") return singleCodeItem(id, code, REASON)
  if (kind === "conflict") return singleConflictItem(state, id)
  if (kind === "turn") return singleTurnItem(state, id, archived)
  const mem = kind === "mem" ? (state.mem.get(id) ?? archived(id)) : undefined
  if (mem === undefined) return undefined
  if (role === "decision") return decisionItem(mem)
  const ranked = { mem, score: 0, reason: REASON }
  return role === "avoid" ? avoidItem(ranked) : memItem(ranked, evidence)
}

const REASON = "it was said otherwise before"
