import { useState } from "preact/hooks"
import type { TaskView } from "../../answers/model.ts"
import { Badge } from "../parts/badge.tsx"
import { Snippet } from "../parts/snippet.tsx"
import { Time } from "../parts/time.tsx"

type Checkpoint = TaskView["did"][number]

/** What tools left behind, the newest first; a long row of them is opened on demand. */
export function Checkpoints({ did }: { did: readonly Checkpoint[] }) {
  const [shown, setShown] = useState(FIRST)
  const newest = did.toReversed().slice(0, shown)
  return (
    <>
      <ol class="checkpoints">
        {newest.map(({ id, tool, summary, files, command, run, ok, created_at }) => (
          <li key={id} class={ok ? "" : "tone-wrong"}>
            <p>
              {!ok && <Badge is="failed" />} {summary}
            </p>
            {command !== null && <Snippet>{command}</Snippet>}
            {run !== null && run.output !== "" && (
              <details>
                <summary>The check ended with {run.exit}</summary>
                <Snippet>{run.output}</Snippet>
              </details>
            )}
            <p class="meta">
              <span>{tool}</span>
              {files.length > 0 && <span title={files.join("\n")}>{files.slice(0, 2).join(", ")}</span>}
              <Time at={created_at} />
            </p>
          </li>
        ))}
      </ol>
      {did.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + MORE)}>
          Show older ({did.length - shown})
        </button>
      )}
    </>
  )
}

const FIRST = 8
const MORE = 50
