import type { MemView } from "../../answers/model.ts"
import { isExport } from "../data/data.ts"
import { Ask } from "../parts/ask.tsx"
import { Decide } from "../parts/decide.tsx"

/** What a person can change of a mem: it is never rewritten, another one takes its place. */
export function MemEdits({ view: { mem } }: { view: MemView }) {
  if (isExport || mem.status !== "active") return null
  return (
    <div class="actions">
      {isOpenDecision(mem) && <Decide id={mem.id} />}
      <Ask
        title="Replace"
        label="Supersede the mem"
        fields={[{ name: "content", label: "What holds instead?", value: mem.content, isLong: true }]}
        command={({ content }) =>
          content === mem.content
            ? null
            : {
                do: "save_mem",
                content,
                kind: mem.kind,
                shelf: mem.shelf,
                tags: mem.tags,
                supersedes: mem.id,
              }
        }
      />
      <Ask
        title="Flag as wrong"
        label="Flag the mem"
        fields={[{ name: "reason", label: "What is wrong with it?" }]}
        command={({ reason }) => ({ do: "flag_mem", mem: mem.id, reason })}
      />
    </div>
  )
}

/** One that was replaced is over, whatever it said. */
export function isOpenDecision({ status, resolved }: MemView["mem"]): boolean {
  return status === "active" && resolved === false
}
