import type { PlanDetail } from "../../answers/model.ts"
import { counted, dollars, short } from "../parts/amounts.ts"
import { Refusals } from "../parts/refusals.tsx"
import { MemLink } from "../parts/task-link.tsx"

/** What else is known of a plan: when it counts as done, what it cost, what came of it. */
export function PlanNotes({ plan }: { plan: PlanDetail }) {
  const { record, files, mems, refusals, spent } = plan
  return (
    <div class="notes">
      {record.acceptance.length > 0 && (
        <details open>
          <summary>Done when ({record.acceptance.length})</summary>
          <ul class="plain">
            {record.acceptance.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
      {spent !== null && (
        <p class="quiet">
          {dollars(spent.cost)} for {counted(spent.answers, "answer")}: {short(spent.fresh)} tokens read anew,{" "}
          {short(spent.cached)} from the cache, {short(spent.output)} written.
        </p>
      )}
      {mems.length > 0 && (
        <details>
          <summary>What was learned ({mems.length})</summary>
          <ul class="plain">
            {mems.slice(0, MAX_LISTED).map(({ id, content }) => (
              <li key={id}>
                <MemLink id={id} title={content} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {files.length > 0 && (
        <details>
          <summary>Files written ({files.length})</summary>
          <ul class="plain files">
            {files.slice(0, MAX_LISTED).map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        </details>
      )}
      {refusals.length > 0 && (
        <details>
          <summary>Refused ({refusals.length})</summary>
          <Refusals items={refusals.slice(0, MAX_LISTED)} />
        </details>
      )}
    </div>
  )
}

const MAX_LISTED = 50
