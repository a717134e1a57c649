import type { Replay } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { counted } from "../parts/amounts.ts"
import { Badge } from "../parts/badge.tsx"
import { Loaded } from "../parts/empty.tsx"
import { Snippet } from "../parts/snippet.tsx"
import { clock } from "../parts/time.tsx"

/** A past turn as its model saw it. */
export function Replayed({ session, turn }: { session: string; turn: number }) {
  const answer = useAnswer<Replay>(address("replay", { session, turn }))
  return (
    <Loaded answer={answer}>
      {({ in_sight, out_of_sight, removed, told, until }) => (
        <>
          <p>
            {in_sight.length === 0
              ? "Nothing of earlier turns was in sight."
              : `In sight from before: ${in_sight.map((each) => `turn ${each.turn} (${each.kind})`).join(", ")}.`}
            {out_of_sight > 0 && ` A compaction had taken ${counted(out_of_sight, "message")} out of sight.`}
            {removed.length > 0 &&
              ` ${counted(removed.length, "old tool output")} stood there as a short note.`}
          </p>
          {told.length === 0 && <p class="quiet">Within the turn it was told nothing more.</p>}
          <ol class="checkpoints">
            {told.map((each, index) => (
              <li key={`${index} ${each.at}`} class={each.kind === "refusal" ? "tone-wrong" : ""}>
                <p class="meta">
                  <Badge is={each.kind} />
                  {each.tool !== null && <span>{each.tool}</span>}
                  <span class="number">{clock(each.at)}</span>
                </p>
                <Snippet>{each.text}</Snippet>
              </li>
            ))}
          </ol>
          <p class="quiet">
            {until === null ? "It is the last turn." : `The next message came at ${clock(until)}.`}
          </p>
        </>
      )}
    </Loaded>
  )
}
