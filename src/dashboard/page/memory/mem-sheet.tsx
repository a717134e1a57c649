import type { MemView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { amount, percent } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Part } from "../parts/card.tsx"
import { Loaded } from "../parts/empty.tsx"
import { Id } from "../parts/id.tsx"
import { Sheet } from "../parts/sheet.tsx"
import { Time } from "../parts/time.tsx"
import { Links } from "./links.tsx"
import { isOpenDecision, MemEdits } from "./mem-edits.tsx"

/** Everything about one mem. */
export function MemSheet({ id }: { id: string }) {
  const answer = useAnswer<MemView>(address("mem", { id }))
  const mem = answer.value?.mem
  return (
    <Sheet
      title={mem === undefined ? "Mem" : (TITLES[mem.kind] ?? "Mem")}
      above={
        mem && (
          <p class="meta">
            {mem.status !== "active" && <Badge is={mem.status} />}
            {isOpenDecision(mem) && <Badge is="unresolved" />}
            <Id>{mem.id.slice(0, 8)}</Id>
            <Time at={mem.created_at} />
          </p>
        )
      }
    >
      <Loaded answer={answer}>{(view) => <Told view={view} />}</Loaded>
    </Sheet>
  )
}

function Told({ view }: { view: MemView }) {
  const { mem, archived, evidence, isUnverified, confidence, recalled, links } = view
  return (
    <>
      <p class="stored lead" dir="auto">
        {mem.content}
      </p>
      {mem.reason !== null && (
        <p class={mem.status === "active" ? "callout tone-plain" : "callout tone-wait"}>{mem.reason}</p>
      )}
      <MemEdits view={view} />
      <Part title="How far it can be trusted">
        <p>
          {percent(confidence)} sure
          {isUnverified && ", less than before: a file that it rests on has changed"}. Recalled{" "}
          {recalled.count === 0 ? "never" : recalled.count === 1 ? "once" : `${amount(recalled.count)} times`}
          {recalled.at !== null && (
            <>
              , last <Time at={recalled.at} />
            </>
          )}
          .{archived && " It is in the archive."} {ORIGINS[mem.origin]}
        </p>
        {evidence.length === 0 ? (
          <p class="quiet">It names no evidence.</p>
        ) : (
          <ul class="plain">
            {evidence.map(({ evidence: each, state }) => (
              <li key={each}>
                <Badge is={state ?? "unchecked"} />{" "}
                <code class="stored">{each.replace(/@[0-9a-f]{8,}$/, "")}</code>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Links title={mem.content} links={links} />
      <Part title="Where it stands">
        <p class="meta">
          <span>on the shelf {mem.shelf}</span>
          {mem.branch !== null && <span>made on {mem.branch}</span>}
          <a href={linkTo("timeline", { record: mem.id })}>its story</a>
          {mem.tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
        </p>
      </Part>
    </>
  )
}

const TITLES: Partial<Record<string, string>> = {
  insight: "An insight",
  fact: "A fact",
  decision: "A decision",
  pattern: "A pattern",
  false_path: "A false path",
}
const ORIGINS: Record<MemView["mem"]["origin"], string> = {
  saved: "",
  finished_task: "Taken from a finished task; nobody has confirmed it.",
  commit: "Taken from a commit; nobody has confirmed it.",
  anchor: "Taken from an anchor; nobody has confirmed it.",
  export: "Put together from exports; nobody has confirmed it.",
  scan: "Found by a scan of the project; nobody has confirmed it.",
}
