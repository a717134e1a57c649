import type { NowView, RefusalRow } from "../../answers/model.ts"
import { canOpen } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { amount, counted, dollars, short, spaced, Time } from "./format.tsx"
import { Icon, type IconName } from "./icon.tsx"
import { Row, Snippet } from "./layout.tsx"
import { openSheet } from "./sheet.tsx"

/** A status with an icon and a word, so that it can be read without seeing the colour. */
export function Badge({ is }: { is: string }) {
  return (
    <span class={`badge tone-${toneOf(is)}`}>
      <Icon name={LOOKS[is]?.[1] ?? "planned"} />
      {wordOf(is)}
    </span>
  )
}

export const wordOf = (is: string): string => LOOKS[is]?.[2] ?? spaced(is)

export const toneOf = (is: string): Tone => LOOKS[is]?.[0] ?? "plain"

export const Id = ({ children }: { children: string }) => <code class="id">{children.slice(0, 8)}</code>

/** The title of a record. Titles of plans, tasks and mems are links, unless an exported file lacks the record. */
export function RecordLink({ kind, id, title }: { kind: string; id: string; title: string }) {
  if (kind === "plan") return <a href={linkTo("plans", { plan: id })}>{title}</a>
  if ((kind !== "task" && kind !== "mem") || !canOpen(kind, id)) return <>{title}</>
  return (
    <button type="button" class="link" onClick={() => openSheet(`${kind}:${id}`)}>
      {title}
    </button>
  )
}

export function Progress({ tasks: { done, all } }: { tasks: { done: number; all: number } }) {
  return (
    <span class="progress">
      <progress value={done} max={Math.max(1, all)} aria-label={`${done} of ${all} tasks are done`} />
      <span class="quiet number">
        {amount(done)} of {amount(all)}
      </span>
    </span>
  )
}

export function Tags({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} class="tag">
      {tag}
    </span>
  ))
}

export function spentText({ cost, answers, fresh, cached, output }: NonNullable<NowView["spent"]>): string {
  return `${dollars(cost)} for ${counted(answers, "answer")}: ${short(fresh)} fresh input tokens, ${short(cached)} from the cache, ${short(output)} written.`
}

export function Refusal({ refusal }: { refusal: RefusalRow }) {
  const { at, agent, tool, what, why, use_instead, command, files, times, lift } = refusal
  return (
    <Row
      head={[<Badge is="refusal" />, <strong>{what}</strong>]}
      meta={[<Time at={at} />, agent ?? "agent", tool, times > 1 && `${times} times`]}
    >
      <p>{why}</p>
      <p class="quiet">Instead: {use_instead}</p>
      {(command ?? files[0]) !== undefined && <Snippet>{command ?? files.join("\n")}</Snippet>}
      {lift !== null && <p class="quiet">If it should have been allowed: {lift}</p>}
    </Row>
  )
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
  invalidated: ["wrong", "failed", "Withdrawn"],
  archived: ["plain", "completed", "Archived"],
  abandoned: ["wrong", "failed", "Given up"],
  // Mems.
  insight: ["plain", "memory", "Insight"],
  fact: ["plain", "memory", "Fact"],
  decision: ["work", "review", "Decision"],
  pattern: ["plain", "memory", "Pattern"],
  false_path: ["wrong", "failed", "False path"],
  rule: ["plain", "memory", "Rule"],
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
  recalled: ["wait", "undo", "Recalled"],
  // Kinds of turns, by what HiveMind sent the model.
  keyframe: ["work", "context", "Keyframe"],
  delta: ["good", "plus", "Delta"],
  none: ["plain", "minus", "Nothing"],
  waiting: ["wait", "planned", "Waiting"],
  refusal: ["wrong", "blocked", "Refused"],
  // Severities and levels.
  low: ["plain", "warning", "Minor"],
  medium: ["wait", "warning", "Moderate"],
  high: ["wrong", "warning", "Urgent"],
  warning: ["wait", "warning", "Warning"],
  trouble: ["wrong", "warning", "Trouble"],
  ok: ["good", "good", "Good"],
  quarantined: ["wrong", "blocked", "In quarantine"],
  // Texts that HiveMind sent the model within a turn.
  reply: ["plain", "context", "Reply"],
  note: ["plain", "context", "Note"],
  compaction: ["wait", "context", "Compaction"],
}
