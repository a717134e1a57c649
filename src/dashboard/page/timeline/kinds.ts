import type { TimelineItem } from "../../answers/model.ts"
import type { IconName } from "../parts/icon.tsx"

type Kind = TimelineItem["kind"]

interface Look {
  tone: "work" | "good" | "wait" | "wrong" | "plain"
  icon: IconName
}

/** How a kind of step is drawn: a sign of its own, and a colour where it matters. */
export function lookOf(kind: Kind): Look {
  return LOOKS[kind] ?? LOOKS.small
}

/** What the story can be narrowed to. */
export const CHIPS: readonly (readonly [kind: string, word: string])[] = [
  ["", "The story"],
  ["decision", "Decisions"],
  ["done", "Done"],
  ["failure", "Failures"],
  ["refusal", "Refusals"],
  ["snapshot", "Snapshots"],
  ["mem", "Learned"],
  ["context", "Compactions and splits"],
  ["sync", "Syncs"],
  ["all", "Everything"],
]

const LOOKS: Record<Kind, Look> = {
  decision: { tone: "work", icon: "review" },
  failure: { tone: "wrong", icon: "failed" },
  refusal: { tone: "wrong", icon: "blocked" },
  warning: { tone: "wait", icon: "good" },
  done: { tone: "good", icon: "completed" },
  session: { tone: "plain", icon: "now" },
  context: { tone: "wait", icon: "context" },
  plan: { tone: "plain", icon: "plans" },
  task: { tone: "work", icon: "active" },
  mem: { tone: "plain", icon: "memory" },
  sync: { tone: "plain", icon: "timeline" },
  undo: { tone: "wait", icon: "undo" },
  snapshot: { tone: "plain", icon: "undo" },
  checkpoint: { tone: "plain", icon: "planned" },
  small: { tone: "plain", icon: "minus" },
}
