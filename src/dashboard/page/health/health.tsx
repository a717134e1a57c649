import type { HealthView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address } from "../data/data.ts"
import { amount, bytes, counted } from "../parts/amounts.ts"
import { Card } from "../parts/card.tsx"
import { Loaded } from "../parts/empty.tsx"
import { Icon } from "../parts/icon.tsx"
import { Refusals } from "../parts/refusals.tsx"
import { dayOf } from "../parts/time.tsx"
import { AskedFor } from "./asked-for.tsx"
import { Conflicts, Settled } from "./conflicts.tsx"
import { Doctor } from "./doctor.tsx"
import { Problems } from "./problems.tsx"

/** Whether what is stored can be relied on, and what to mend. */
export function Health() {
  const answer = useAnswer<HealthView>(address("health"))
  return <Loaded answer={answer}>{(health) => <Told health={health} />}</Loaded>
}

function Told({ health }: { health: HealthView }) {
  const { problems, unlisted, edited, unfolded, setAside, conflicts, sizes, sync, refusals } = health
  const isWell = problems.length + unlisted + conflicts.length + setAside.length === 0
  return (
    <div class="health">
      {isWell && (
        <p class="calm tone-good">
          <Icon name="good" /> Every record can be read, and nothing waits to be settled.
        </p>
      )}
      {problems.length > 0 && <Problems problems={problems} unlisted={unlisted} />}
      {setAside.length > 0 && <SetAside files={setAside} />}
      {conflicts.length > 0 && <Conflicts conflicts={conflicts} />}
      {health.asked.length > 0 && <AskedFor asked={health.asked} />}
      <div class="pair">
        <Sizes sizes={sizes} />
        <Card title="State">
          <dl class="anchors">
            <div>
              <dt>Sync</dt>
              <dd>{sync ?? "Not in a git repository that can be read: only here."}</dd>
            </div>
            <div>
              <dt>Snapshots</dt>
              <dd>{snapshotText(health.snapshots)}</dd>
            </div>
            <div>
              <dt>Not yet folded</dt>
              <dd>
                {unfolded.entries === 0
                  ? "Nothing."
                  : `${amount(unfolded.entries)} ${unfolded.entries === 1 ? "entry" : "entries"}, ${bytes(unfolded.bytes)}. It happens by itself.`}
              </dd>
            </div>
            <div>
              <dt>Edited by hand</dt>
              <dd>{edited.length === 0 ? "Nothing." : edited.join(", ")}</dd>
            </div>
          </dl>
        </Card>
      </div>
      <Doctor />
      <Settled settled={health.settled} />
      <Card title="Refusals" note={refusals.total === 0 ? undefined : counted(refusals.total, "refusal")}>
        {refusals.total === 0 ? (
          <p class="quiet">No agent was kept from anything.</p>
        ) : (
          <>
            <Refusals items={refusals.items} />
            {refusals.more > 0 && (
              <p class="quiet">and {amount(refusals.more)} older ones: hivemind refusals</p>
            )}
          </>
        )}
      </Card>
    </div>
  )
}

function snapshotText({
  isOn,
  canTake,
  count,
  bytes: size,
  oldest,
  keepDays,
  maxMb,
}: HealthView["snapshots"]): string {
  if (!canTake) return "Git is not installed here: nothing can be restored."
  const kept =
    count === 0
      ? "None yet"
      : `${counted(count, "snapshot")}, ${bytes(size)}, the oldest from ${dayOf(oldest ?? "")}`
  const limits = `kept for ${amount(keepDays)} days, up to ${bytes(maxMb * 1024 * 1024)}`
  return isOn ? `${kept}; ${limits}.` : `${kept}. New ones are switched off (snapshots.enabled).`
}

/** Broken files that were moved out of the way. */
function SetAside({ files }: { files: readonly string[] }) {
  return (
    <Card title="Broken copies" note={counted(files.length, "file")}>
      <p>Set aside with what could not be read. Take out of them what you miss, then delete them.</p>
      <ul class="plain files">
        {files.map((file) => (
          <li key={file}>.hivemind/{file}</li>
        ))}
      </ul>
    </Card>
  )
}

function Sizes({ sizes }: { sizes: HealthView["sizes"] }) {
  const largest = Math.max(1, ...sizes.map(({ bytes: each }) => each))
  return (
    <Card title="Sizes" note={bytes(sizes.reduce((sum, each) => sum + each.bytes, 0))}>
      <ul class="sizes">
        {sizes.map(({ name, bytes: each }) => (
          <li key={name}>
            <span>{name}</span>
            <progress value={each} max={largest} aria-label={`${name}: ${bytes(each)}`} />
            <span class="number">{bytes(each)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
