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
  const bits = wordBits(content)
  for (const rule of state.mem.by("rule", ALL)) compare(rule)
  if (kind === "rule") return related
  for (const mem of first(MAX_COMPARED, state.mem.by("standing", "saved").backwards())) {
    if (mem.kind === "rule" || mem.origin === "scan" || !COMPARED_KINDS.has(mem.kind)) continue
    if (mayShareWords(bits, bitsOf(mem))) compare(mem)
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

/** A Bloom filter of words of four letters or more: texts that share few words are skipped without being parsed. */
type WordBits = readonly [low: number, high: number]

function wordBits(text: string): WordBits {
  let [low, high, hash, length] = [0, 0, 0, 0]
  for (let n = 0; n <= text.length; n++) {
    const code = n < text.length ? text.charCodeAt(n) | 0x20 : 0
    const isLetter = (code >= 0x61 && code <= 0x7a) || code > 0x7f
    if (isLetter) {
      hash = (hash * 31 + code) | 0
      length++
      continue
    }
    const bit = (hash ^ (hash >>> 15)) & 63
    if (length >= MIN_LETTERS && bit < 32) low |= 1 << bit
    else if (length >= MIN_LETTERS) high |= 1 << (bit - 32)
    hash = 0
    length = 0
  }
  return [low, high]
}

function bitsOf(mem: Mem): WordBits {
  const bits = knownBits.get(mem) ?? wordBits(mem.content)
  knownBits.set(mem, bits)
  return bits
}

function mayShareWords(one: WordBits, other: WordBits): boolean {
  const fewest = Math.min(countBits(one[0]) + countBits(one[1]), countBits(other[0]) + countBits(other[1]))
  return countBits(one[0] & other[0]) + countBits(one[1] & other[1]) >= fewest * SHARED_WORDS
}

function countBits(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return (((left + (left >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

const knownBits = new WeakMap<Mem, WordBits>()
const MIN_LETTERS = 4
const SHARED_WORDS = 0.5
/** Kinds of mems that a newer mem can replace. False paths and insights stay true. */
const COMPARED_KINDS: ReadonlySet<Mem["kind"]> = new Set(["rule", "decision", "fact", "pattern"])
const MAX_COMPARED = 100
