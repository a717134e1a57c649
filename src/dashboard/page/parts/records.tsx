import type { NowView, RefusalRow } from "../../answers/model.ts"
import { canOpen } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { amount, counted, dollars, short, spaced, Time } from "./format.tsx"
import { Icon, type IconName } from "./icon.tsx"
import { Row, Snippet } from "./layout.tsx"
import { openSheet } from "./sheet.tsx"

/** A status as a sign and a word, never as a colour alone. */
export function Badge({ is }: { is: string }) {
  const [tone, icon, word] = LOOKS[is] ?? ["plain", "planned", spaced(is)]
  return (
    <span class={`badge tone-${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  )
}

/** One of five colours, each with a meaning: at work, good, waits, wrong, nothing special. */
export function toneOf(is: string): Tone {
  return LOOKS[is]?.[0] ?? "plain"
}

/** The start of an id, as every command takes it. */
export function Id({ children }: { children: string }) {
  return <code class="id">{children.slice(0, 8)}</code>
}

/** A record by its title. Plans, tasks and mems can be opened, unless the page is a file without them. */
export function RecordLink({ kind, id, title }: { kind: string; id: string; title: string }) {
  if (kind === "plan") return <a href={linkTo("plans", { plan: id })}>{title}</a>
  if ((kind !== "task" && kind !== "mem") || !canOpen(kind, id)) return <>{title}</>
  return (
    <button type="button" class="link" onClick={() => openSheet(`${kind}:${id}`)}>
      {title}
    </button>
  )
}

/** How much of a plan is done. */
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

/** Cost and tokens in a sentence. */
export function spentText({ cost, answers, fresh, cached, output }: NonNullable<NowView["spent"]>): string {
  return `${dollars(cost)} for ${counted(answers, "answer")}: ${short(fresh)} fresh input tokens, ${short(cached)} from the cache, ${short(output)} written.`
}

/** A refused call: what, why, and what to do instead. */
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
  // Context that the model was sent.
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
  // Notices to the model within a turn.
  reply: ["plain", "context", "Reply"],
  note: ["plain", "context", "Note"],
  compaction: ["wait", "context", "Compaction"],
}
