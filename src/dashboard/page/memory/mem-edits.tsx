import type { MemView } from "../../answers/model.ts"
import { isExport } from "../data/data.ts"
import { Ask } from "../parts/ask.tsx"

/** What a person can change of a mem: it is never rewritten, another one takes its place. */
export function MemEdits({ view: { mem } }: { view: MemView }) {
  if (isExport || mem.status !== "active") return null
  const isOpenDecision = mem.kind === "decision" && mem.resolved === false
  return (
    <div class="actions">
      {isOpenDecision && (
        <Ask
          title="Decide"
          label="Resolve the decision"
          fields={[{ name: "content", label: "What was decided?", isLong: true }]}
          command={({ content }) => ({ do: "resolve_decision", decision: mem.id, content })}
        />
      )}
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
