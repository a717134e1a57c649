import { useState } from "preact/hooks"
import type { ErrorView, RestoreView } from "../../answers/model.ts"
import { errorOf } from "../data/answers.ts"
import { address, ask } from "../data/data.ts"
import { project } from "../data/route.ts"
import { amount, counted } from "../parts/amounts.ts"
import { Ask } from "../parts/ask.tsx"

/** Brings the files of a snapshot back. What would be written is looked up when the form opens. */
export function Restore({ id }: { id: string }) {
  const [plan, setPlan] = useState<RestoreView | null>(null)
  const [error, setError] = useState<ErrorView | null>(null)
  const load = () => {
    setPlan(null)
    setError(null)
    ask(address("restore", { id }), project.value).then(
      (found) => setPlan(found as RestoreView),
      (failed: unknown) => setError(errorOf(failed)),
    )
  }
  const git = plan === null ? 0 : plan.refs.length + plan.stashes + plan.staged
  const isReady = plan !== null && plan.total.write + plan.total.conflicts + git > 0
  return (
    <Ask
      title="Restore"
      label={`Restore ${id}`}
      onOpen={load}
      isReady={isReady}
      fields={[
        ...(plan !== null && plan.total.conflicts > 0 ? [OVERWRITE] : []),
        ...(git > 0 ? [WITH_GIT] : []),
      ]}
      command={(filled) => ({
        ...{ do: "restore", snapshot: id },
        ...(filled["force"] === "yes" && { force: true }),
        ...(filled["refs"] === "yes" && { refs: true }),
      })}
    >
      {error !== null && (
        <p class="callout tone-wrong">
          {error.what} {error.why} {error.use_instead}
        </p>
      )}
      {plan === null && error === null && <p class="quiet">Comparing the files with {id}…</p>}
      {plan !== null && <Plan plan={plan} isNothing={!isReady} />}
    </Ask>
  )
}

function Plan({ plan, isNothing }: { plan: RestoreView; isNothing: boolean }) {
  const { total, refs, stashes, staged, notes } = plan
  return (
    <>
      {isNothing && <p>There is nothing to restore: what the call had changed is as it was before.</p>}
      <Files title="To be written" names={plan.write} total={total.write} />
      <Files
        title="Changed since"
        names={plan.conflicts.map(({ path, why }) => `${path}: ${why}`)}
        total={total.conflicts}
      />
      <Files title="Created by the call, never deleted" names={plan.created} total={total.created} />
      {refs.length + stashes + staged > 0 && (
        <Files
          title="Branches, tags, stashes and staged files"
          names={[
            ...refs.map(({ name, commit }) => `${name} at ${commit.slice(0, 10)}`),
            ...(stashes > 0 ? [`${amount(stashes)} of the stash`] : []),
            ...(staged > 0 ? [counted(staged, "staged file")] : []),
          ]}
          total={0}
        />
      )}
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      {!isNothing && <p class="quiet">A snapshot is taken first, so that this can be undone.</p>}
    </>
  )
}

function Files({ title, names, total }: { title: string; names: readonly string[]; total: number }) {
  if (names.length === 0) return null
  return (
    <>
      <p>
        <strong>{title}</strong>
        {total > 0 && `: ${counted(total, "file")}`}
      </p>
      <ul class="changes">
        {names.map((name) => (
          <li key={name} dir="auto">
            {name}
          </li>
        ))}
        {total > names.length && <li class="quiet">and {amount(total - names.length)} more</li>}
      </ul>
    </>
  )
}

const OVERWRITE = {
  name: "force",
  label: "Files that have changed since",
  choices: [
    ["no", "Keep them"],
    ["yes", "Overwrite them"],
  ],
} as const
const WITH_GIT = {
  name: "refs",
  label: "Branches, tags, stashes and staged files",
  choices: [
    ["no", "Leave them as they are"],
    ["yes", "Bring them back"],
  ],
} as const
