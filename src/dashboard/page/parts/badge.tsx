import { Icon, type IconName } from "./icon.tsx"

/** How something stands: always a sign and a word, never colour alone. */
export function Badge({ is, children }: { is: string; children?: string }) {
  const [tone, icon, word] = LOOKS[is] ?? ["plain", "planned", is.replaceAll("_", " ")]
  return (
    <span class={`badge tone-${tone}`}>
      <Icon name={icon} />
      {children ?? word}
    </span>
  )
}

/** One of five colours, each with a meaning: at work, good, waits, wrong, nothing special. */
export function toneOf(is: string): Tone {
  return LOOKS[is]?.[0] ?? "plain"
}

type Tone = "work" | "good" | "wait" | "wrong" | "plain"

const LOOKS: Readonly<Record<string, readonly [Tone, IconName, string]>> = {
  // Tasks and plans.
  draft: ["plain", "planned", "Draft"],
  planned: ["plain", "planned", "Planned"],
  active: ["work", "active", "At work"],
  review: ["work", "review", "In review"],
  blocked: ["wait", "blocked", "Blocked"],
  completed: ["good", "completed", "Done"],
  failed: ["wrong", "failed", "Failed"],
  invalidated: ["wrong", "failed", "Taken back"],
  archived: ["plain", "completed", "Put away"],
  abandoned: ["wrong", "failed", "Given up"],
  // Mems.
  insight: ["plain", "memory", "Insight"],
  fact: ["plain", "memory", "Fact"],
  decision: ["work", "review", "Decision"],
  pattern: ["plain", "memory", "Pattern"],
  false_path: ["wrong", "failed", "False path"],
  "failed task": ["wrong", "failed", "Failed task"],
  superseded: ["wait", "blocked", "Superseded"],
  purged: ["wrong", "failed", "Purged"],
  unresolved: ["wait", "blocked", "Still open"],
  verified: ["good", "good", "Verified"],
  changed: ["wait", "warning", "Changed since"],
  unchecked: ["plain", "planned", "Cannot be checked"],
  // Sessions and delegates.
  open: ["work", "active", "Open"],
  left: ["wait", "warning", "Left open"],
  continued: ["plain", "completed", "Continued"],
  closed: ["plain", "completed", "Closed"],
  assigned: ["plain", "planned", "Assigned"],
  running: ["work", "active", "Running"],
  returned: ["good", "completed", "Returned"],
  recalled: ["wait", "undo", "Taken back"],
  // What the model was sent.
  keyframe: ["work", "context", "Keyframe"],
  delta: ["good", "plus", "Delta"],
  none: ["plain", "minus", "Nothing"],
  waiting: ["wait", "planned", "Waiting"],
  refusal: ["wrong", "blocked", "Refused"],
  // How bad something is.
  low: ["plain", "warning", "Minor"],
  medium: ["wait", "warning", "Moderate"],
  high: ["wrong", "warning", "Urgent"],
  warning: ["wait", "warning", "Warning"],
  trouble: ["wrong", "warning", "Trouble"],
  ok: ["good", "good", "Good"],
  quarantined: ["wrong", "blocked", "In quarantine"],
  // What a model was told within a turn.
  reply: ["plain", "context", "Reply"],
  note: ["plain", "context", "Note"],
  compaction: ["wait", "context", "Compaction"],
  lost: ["wrong", "failed", "Lost"],
}
