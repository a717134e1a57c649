import { changedEvidence, type EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { wordings } from "./fit.ts"
import type { Item, ItemRef } from "./item.ts"
import type { Ranked } from "./relevance.ts"

/** What is known, with whether its files are still those that it speaks of. */
export function memItem({ mem, score, reason }: Ranked, evidence: EvidenceCheck): Item {
  const changed = changedEvidence(mem.evidence, evidence)
  const isUnverified = changed.length > 0
  return {
    kind: "mem",
    id: mem.id,
    role: "mem",
    identity: { id: shortId(mem.id) },
    section: "mems",
    worth: 300 + score * (isUnverified ? 1.5 : 3),
    reason: isUnverified ? `${reason}; unverified: ${shorten(changed.join(", "), 80)} has changed` : reason,
    ...keptWordings(isUnverified ? unverifiedTexts : memTexts, mem, WIDTHS, (max) =>
      memElement(mem, isUnverified, max),
    ),
  }
}

/** Apart from the item, because its text is mostly known: there are dozens of mems in every turn. */
function memElement({ id, kind, shelf, content }: Mem, isUnverified: boolean, max: number): string {
  const attributes = {
    id: shortId(id),
    kind,
    shelf: shelf === "context" ? undefined : shelf,
    unverified: isUnverified ? "its file has changed" : undefined,
  }
  return element("mem", attributes, shorten(content, max))
}

/** What was tried and why it failed, short: enough not to try it again. */
export function avoidItem({ mem, score, reason }: Ranked): Item {
  const words = mem.reason === null ? mem.content : `${shorten(mem.content, 120)} — failed: ${mem.reason}`
  const identity = { id: shortId(mem.id) }
  return {
    kind: "mem",
    id: mem.id,
    role: "avoid",
    identity,
    section: "anti_patterns",
    // One that has nothing to do with the work is only good to know.
    worth: (isNear({ score }) ? 560 : 300) + score,
    reason: `a false path, ${reason}`,
    ...wordings([240, 120, 60], (max) => element("avoid", identity, shorten(words, max))),
  }
}

/** What somebody has to decide before work can go on. */
export function decisionItem(mem: Mem): Item {
  const identity = { id: shortId(mem.id) }
  return {
    kind: "mem",
    id: mem.id,
    role: "decision",
    identity,
    section: "decisions",
    worth: 720,
    reason: "an open decision",
    ...wordings(WIDTHS, (max) => element("decision", identity, shorten(mem.content, max))),
  }
}

/** At least "about the same files". */
export function isNear({ score }: Pick<Ranked, "score">): boolean {
  return score >= NEAR_SCORE
}

export function memRef({ id }: Mem): ItemRef {
  return { kind: "mem", id, role: "mem" }
}

/** Wordings of a record that is shown turn after turn: a record object never changes, so its fullest wording is kept. */
function keptWordings(
  known: WeakMap<object, string>,
  record: object,
  widths: number[],
  render: (max: number) => string,
): Pick<Item, "levels" | "render"> {
  const { levels, render: anew } = wordings(widths, render)
  const full = () => {
    const text = known.get(record) ?? anew(0)
    known.set(record, text)
    return text
  }
  return { levels, render: (level) => (level === 0 ? full() : anew(level)) }
}

const memTexts = new WeakMap<object, string>()
const unverifiedTexts = new WeakMap<object, string>()
const WIDTHS = [800, 200, 70]
const NEAR_SCORE = 28
