import { ALL } from "../../graph/indexes.ts"
import { isReplaced } from "../../graph/mem-status.ts"
import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { isUnconfirmed } from "../../knowledge/memory/by-rule.ts"
import { REPEATED } from "../../knowledge/memory/keep-rules.ts"
import { instructionIn } from "../../knowledge/rules/find-rules.ts"
import { subjectWords } from "../../knowledge/rules/same-subject.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import { type Dropped, droppedItems, type Item, wordings } from "./item.ts"
import type { Recalled } from "./knowledge-items.ts"

/**
 * The user's standing instructions, those first that the message or the task touches. They get a share of the budget; the
 * rest is counted and found by its words.
 */
export function ruleItems(
  state: GraphState,
  place: Place,
  { budget, recalled, message }: { budget: number; recalled: readonly Recalled[]; message: string },
): { items: Item[]; dropped: Dropped } {
  const touched = new Set(recalled.map((each) => ("mem" in each ? each.mem.id : "")))
  const aboutTask = subjectWords(
    place.tasks.map(({ title, expected_output }) => `${title} ${expected_output}`).join(" "),
  )
  const aboutMessage = subjectWords(message)
  const files = place.tasks.flatMap(({ file_locks }) => file_locks)
  const ranked = [...state.mem.by("rule", ALL)]
    .filter((mem) => !isReplaced(state, mem.id))
    .map((mem) => ({ mem, rank: rankOf(mem) }))
    .sort((a, b) => b.rank - a.rank || (a.mem.created_at > b.mem.created_at ? -1 : 1))
  let left = budget * SHARE
  const shown = ranked.filter(({ mem, rank }) => {
    left -= knownOf(mem).tokens + ELEMENT_TOKENS
    return left > 0 || rank >= TOUCHED - UNCONFIRMED
  })
  const hidden = ranked.filter((each) => !shown.includes(each)).map(({ mem }) => mem)
  return {
    items: shown.map(({ mem, rank }) => ruleItem(state, mem, rank)),
    dropped: droppedItems("rules", "no room", hidden, ({ id }) => ({ kind: "mem", id, role: "rule" })),
  }

  function rankOf(mem: Mem): number {
    return nearnessOf(mem) - (isUnconfirmed(mem) ? UNCONFIRMED : 0)
  }

  function nearnessOf(mem: Mem): number {
    if (touched.has(mem.id)) return TOUCHED
    if (mem.scope !== null && files.some((file) => file.startsWith(mem.scope ?? ""))) return TOUCHED
    const isRelated = [...knownOf(mem).words].some((word) => aboutMessage.has(word) || aboutTask.has(word))
    return isRelated ? RELATED : mem.tags.includes(REPEATED) ? REPEATED_RANK : 0
  }
}

interface KnownRule {
  instruction: string
  words: ReadonlySet<string>
  tokens: number
}

/** Kept per record, which never changes: there may be a hundred rules in every turn. */
function knownOf(mem: Mem): KnownRule {
  const there = known.get(mem)
  if (there !== undefined) return there
  const instruction = instructionIn(mem.content)
  const made = { instruction, words: subjectWords(mem.content), tokens: countTokens(instruction) }
  known.set(mem, made)
  return made
}

const known = new WeakMap<Mem, KnownRule>()

export function ruleItem(state: GraphState, mem: Mem, rank: number): Item {
  const identity = { id: shortId(mem.id) }
  const isRival = (other: Mem) => other.kind === "rule" && other.status === "active"
  const rivals = mem.related_to.flatMap((id) => state.mem.get(id) ?? []).filter(isRival)
  const isDoubted = rivals.length > 0 || [...state.mem.by("related_to", mem.id)].some(isRival)
  const attributes = {
    ...identity,
    where: mem.scope ?? undefined,
    said: isDoubted || mem.tags.includes(REPEATED) ? mem.created_at.slice(0, 10) : undefined,
    from: isUnconfirmed(mem) ? `a session of ${mem.created_at.slice(0, 10)}, unconfirmed` : undefined,
    again: mem.tags.includes(REPEATED) ? "the user had to say it again" : undefined,
    may_replace: rivals.length > 0 ? rivals.map(({ id }) => shortId(id)).join(" ") : undefined,
  }
  return {
    kind: "mem",
    id: mem.id,
    role: "rule",
    identity,
    section: "rules",
    worth: 780 + rank,
    reason: rank >= TOUCHED - UNCONFIRMED ? "a rule that this touches" : "a rule of the user",
    ...wordings(WIDTHS, (max) => element("rule", attributes, shorten(knownOf(mem).instruction, max))),
  }
}

/** Of the block's tokens. */
const SHARE = 0.4
const ELEMENT_TOKENS = 12
const TOUCHED = 40
const RELATED = 20
const REPEATED_RANK = 10
// Below a rule that the user has told HiveMind directly, if both fit equally well.
const UNCONFIRMED = 5
const WIDTHS = [400, 160]
