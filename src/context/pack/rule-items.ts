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
import { countTokens } from "../../shared/text/tokens.ts"
import { type Dropped, droppedItems, type Item, itemOf } from "./item.ts"
import type { Recalled } from "./knowledge-items.ts"

/** The user's rules within a share of the budget. Rules about the message or the current task come first. */
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
    .map((mem) => ({ mem, rank: nearnessOf(mem) - (isUnconfirmed(mem) ? UNCONFIRMED : 0) }))
    .sort((a, b) => b.rank - a.rank || (a.mem.created_at > b.mem.created_at ? -1 : 1))
  let left = budget * SHARE
  const shown = ranked.filter(({ mem, rank }) => {
    left -= knownOf(mem).tokens + ELEMENT_TOKENS
    return left > 0 || rank >= TOUCHED - UNCONFIRMED
  })
  const hidden = ranked.filter((each) => !shown.includes(each)).map(({ mem }) => mem)
  return {
    items: shown.map(({ mem, rank }) => ruleItem(state, mem, rank)),
    dropped: droppedItems("rule", "no room", hidden),
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

/** Cached by the mem object, which is never modified: each turn ranks all rules, and there may be a hundred. */
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
  return itemOf("rule", {
    id: mem.id,
    identity,
    shown: {
      ...identity,
      where: mem.scope,
      said: isDoubted || mem.tags.includes(REPEATED) ? mem.created_at.slice(0, 10) : undefined,
      from: isUnconfirmed(mem) ? `a session of ${mem.created_at.slice(0, 10)}, unconfirmed` : undefined,
      again: mem.tags.includes(REPEATED) ? "the user had to say it again" : undefined,
      may_replace: rivals.map(({ id }) => shortId(id)).join(" "),
    },
    words: knownOf(mem).instruction,
    widths: WIDTHS,
    worth: 780 + rank,
    reason: rank >= TOUCHED - UNCONFIRMED ? "a rule about this message or task" : "a rule of the user",
  })
}

const SHARE = 0.4
const ELEMENT_TOKENS = 12
const TOUCHED = 40
const RELATED = 20
const REPEATED_RANK = 10
// A rule from a past session ranks slightly lower than one that the user has told HiveMind directly.
const UNCONFIRMED = 5
const WIDTHS = [400, 160]
