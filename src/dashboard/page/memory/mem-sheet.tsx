import type { MemView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { linkTo } from "../data/route.ts"
import { amount, percent, spaced, Time } from "../parts/format.tsx"
import { CommandForm, Decide } from "../parts/forms.tsx"
import { ItemList, Loaded, Part } from "../parts/layout.tsx"
import { Badge, Id, RecordLink, Tags, wordOf } from "../parts/records.tsx"
import { Sheet } from "../parts/sheet.tsx"

export function MemSheet({ id }: { id: string }) {
  const answer = useAnswer<MemView>(address("mem", { id }))
  const mem = answer.value?.mem
  return (
    <Sheet
      title={mem === undefined ? "Mem" : wordOf(mem.kind)}
      facts={
        mem && [
          mem.status !== "active" && <Badge is={mem.status} />,
          isOpenDecision(mem) && <Badge is="unresolved" />,
          <Id>{mem.id}</Id>,
          <Time at={mem.created_at} />,
        ]
      }
    >
      <Loaded answer={answer}>{(view) => <Details view={view} />}</Loaded>
    </Sheet>
  )
}

function Details({ view }: { view: MemView }) {
  const { mem, archived, evidence, isUnverified, confidence, recalled, links } = view
  return (
    <>
      <p class="stored lead" dir="auto">
        {mem.content}
      </p>
      {mem.reason !== null && (
        <p class={mem.status === "active" ? "callout tone-plain" : "callout tone-wait"}>{mem.reason}</p>
      )}
      <MemActions mem={mem} />
      <Part title="Confidence">
        <p>
          {percent(confidence)} sure
          {isUnverified && ", less than before: a file that is its evidence has changed"}. Recalled{" "}
          {recalled.count === 0 ? "never" : recalled.count === 1 ? "once" : `${amount(recalled.count)} times`}
          {recalled.at !== null && (
            <>
              , last <Time at={recalled.at} />
            </>
          )}
          .{archived && " It is in the archive."} {ORIGINS[mem.origin]}
        </p>
        {evidence.length === 0 && <p class="quiet">This mem names no evidence.</p>}
        <ul class="plain">
          {evidence.map(({ evidence: each, state }) => (
            <li key={each}>
              <Badge is={state ?? "unchecked"} />{" "}
              <code class="stored">{each.replace(/@[0-9a-f]{8,}$/, "")}</code>
            </li>
          ))}
        </ul>
      </Part>
      <ItemList
        title="Linked with"
        class="links"
        of={links}
        row={(link) => (
          <>
            <span class="quiet">{relationOf(link)}</span> <RecordLink {...link} />
          </>
        )}
      />
      <Part title="Shelf and tags">
        <p class="meta">
          <span>shelf {mem.shelf}</span>
          {mem.branch !== null && <span>branch {mem.branch}</span>}
          <a href={linkTo("timeline", { record: mem.id })}>its timeline</a>
          <Tags tags={mem.tags} />
        </p>
      </Part>
    </>
  )
}

function MemActions({ mem }: Pick<MemView, "mem">) {
  const { id, kind, content: before, shelf, tags, status } = mem
  if (isExport || status !== "active") return null
  return (
    <div class="actions">
      {isOpenDecision(mem) && <Decide id={id} />}
      <CommandForm
        title="Replace"
        label="Supersede the mem"
        fields={[{ name: "content", label: "New content", value: before, isLong: true }]}
        command={({ content }) =>
          content === before ? null : { do: "save_mem", content, kind, shelf, tags, supersedes: id }
        }
      />
      <CommandForm
        title="Flag as wrong"
        label="Flag the mem"
        fields={[{ name: "reason", label: "Reason" }]}
        command={({ reason }) => ({ do: "flag_mem", mem: id, reason })}
      />
    </div>
  )
}

/** Whether the mem is a decision to be made. A superseded one may still be marked as unresolved, but is not open. */
function isOpenDecision({ status, resolved }: MemView["mem"]): boolean {
  return status === "active" && resolved === false
}

function relationOf({ field, direction, kind }: MemView["links"][number]): string {
  // The field of a link from another record starts with that record's kind, as in `mem.supersedes`.
  const name = field.slice(field.indexOf(".") + 1)
  const [to, from] = RELATIONS[name] ?? [spaced(name).replace(/ ids?$/, ""), "named by"]
  return `${direction === "to" ? to : from} ${kind === "mem" ? "" : kind}`.trim()
}

const RELATIONS: Readonly<Record<string, readonly [string, string]>> = {
  supersedes: ["replaces", "was replaced by"],
  related_to: ["related to", "related to"],
  parent_mem_id: ["part of", "has the part"],
  origin_task_id: ["learned in", "learned in"],
  decisions: ["decided for", "decided for"],
}
const ORIGINS: Record<MemView["mem"]["origin"], string> = {
  saved: "",
  said: "Taken from your own message.",
  finished_task: "Taken from a finished task; not confirmed yet.",
  commit: "Taken from a commit; not confirmed yet.",
  anchor: "Taken from an anchor; not confirmed yet.",
  export: "Taken from exported sessions; not confirmed yet.",
  scan: "Found by a scan of the project; not confirmed yet.",
  correction: "Your correction of the agent.",
  history: "Taken from a past session; not confirmed yet.",
}
