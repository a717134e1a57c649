import { Ask } from "./ask.tsx"

/** Takes a decision that is open. */
export function Decide({ id }: { id: string }) {
  return (
    <Ask
      title="Decide"
      label="Resolve the decision"
      fields={[{ name: "content", label: "What was decided?", isLong: true }]}
      command={({ content }) => ({ do: "resolve_decision", decision: id, content })}
    />
  )
}
