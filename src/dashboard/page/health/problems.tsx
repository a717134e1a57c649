import type { HealthView } from "../../answers/model.ts"
import { counted } from "../parts/amounts.ts"
import { Ask } from "../parts/ask.tsx"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"
import { Id } from "../parts/id.tsx"

/** What could not be used, where it stands, and how to mend it. */
export function Problems({ problems, unlisted }: Pick<HealthView, "problems" | "unlisted">) {
  return (
    <Card title="Problems" note={counted(problems.length + unlisted, "problem")}>
      <ul class="rows">
        {problems.map(({ what, level, file, mend, record }) => (
          <li key={`${file} ${what}`} class="row">
            <p class="row-head">
              <Badge is={level} />
              {record !== undefined && (
                <strong>
                  {record.kind}
                  {record.name !== null && ` “${record.name}”`}
                </strong>
              )}
              {record?.id != null && <Id>{record.id.slice(0, 8)}</Id>}
            </p>
            <p>{what}</p>
            <p class="files quiet">{file}</p>
            {mend !== null && <p>To mend it: {mend}</p>}
            {record !== undefined && (
              <Ask
                title="Repair"
                label={`Repair the ${record.kind}`}
                fields={[
                  {
                    name: "json",
                    label: `The ${record.kind} as it should be${record.field === null ? "" : `: look at “${record.field}”`}`,
                    value: record.json,
                    ...{ isLong: true, isCode: true },
                  },
                ]}
                command={({ json }) => ({
                  do: "repair_record",
                  file,
                  kind: record.kind,
                  id: record.id,
                  json,
                })}
              />
            )}
          </li>
        ))}
      </ul>
      {unlisted > 0 && <p class="quiet">and {unlisted} more: hivemind doctor lists them all.</p>}
    </Card>
  )
}
