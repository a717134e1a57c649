import { useState } from "preact/hooks"
import type { RestoreView } from "../../answers/model.ts"
import { type Answer, errorOf } from "../data/answers.ts"
import { address, ask } from "../data/data.ts"
import { amount, counted } from "../parts/format.tsx"
import { CommandForm } from "../parts/forms.tsx"

type Found = Pick<Answer<RestoreView>, "value" | "error">

/** Restores the files of a snapshot. The preview is loaded when the form opens. */
export function Restore({ id }: { id: string }) {
  const [{ value: preview, error }, setFound] = useState<Found>(NOT_LOADED)
  const load = () => {
    setFound(NOT_LOADED)
    ask(address("restore", { id })).then(
      (found) => setFound({ value: found as RestoreView, error: null }),
      (failed: unknown) => setFound({ value: undefined, error: errorOf(failed) }),
    )
  }
  const inGit = preview === undefined ? 0 : preview.refs.length + preview.stashes + preview.staged
  const conflicts = preview?.total.conflicts ?? 0
  const isReady = (preview?.total.write ?? 0) + conflicts + inGit > 0
  return (
    <CommandForm
      title="Restore"
      label={`Restore ${id}`}
      onOpen={load}
      isReady={isReady}
      fields={[...(conflicts > 0 ? [OVERWRITE] : []), ...(inGit > 0 ? [WITH_GIT] : [])]}
      command={({ force, refs }) => ({
        do: "restore",
        snapshot: id,
        ...(force === "yes" && { force: true }),
        ...(refs === "yes" && { refs: true }),
      })}
    >
      {error !== null && (
        <p class="callout tone-wrong">
          {error.what} {error.why} {error.use_instead}
        </p>
      )}
      {preview === undefined && error === null && <p class="quiet">Comparing the files with {id}…</p>}
      {preview !== undefined && <Preview preview={preview} isNothing={!isReady} />}
    </CommandForm>
  )
}

function Preview({ preview, isNothing }: { preview: RestoreView; isNothing: boolean }) {
  const { total, write, conflicts, created, refs, stashes, staged, notes } = preview
  const inGit = [
    ...refs.map(({ name, commit }) => `${name} at ${commit.slice(0, 10)}`),
    ...(stashes > 0 ? [`${amount(stashes)} of the stash`] : []),
    ...(staged > 0 ? [counted(staged, "staged file")] : []),
  ]
  return (
    <>
      {isNothing && (
        <p>There is nothing to restore: the files that the call changed are as they were before.</p>
      )}
      <Files title="To be written" names={write} total={total.write} />
      <Files
        title="Changed since"
        names={conflicts.map(({ path, why }) => `${path}: ${why}`)}
        total={total.conflicts}
      />
      <Files title="Created by the call, never deleted" names={created} total={total.created} />
      <Files title="Branches, tags, stashes and staged files" names={inGit} total={0} />
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

const NOT_LOADED: Found = { value: undefined, error: null }
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
