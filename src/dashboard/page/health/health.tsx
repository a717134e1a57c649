import { useState } from "preact/hooks"
import type { DoctorView, HealthView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, ask, isExport } from "../data/data.ts"
import { amount, bytes, counted, dayOf } from "../parts/format.tsx"
import { AllGood, Card, Facts, Loaded, Rows } from "../parts/layout.tsx"
import { Badge, Refusal } from "../parts/records.tsx"
import { AskedChanges, OpenConflicts, Problems, SettledConflicts } from "./problems.tsx"

/** Whether the stored data is reliable, and the problems to repair. */
export function Health() {
  const answer = useAnswer<HealthView>(address("health"))
  return <Loaded answer={answer}>{(health) => <Report health={health} />}</Loaded>
}

function Report({ health }: { health: HealthView }) {
  const { problems, unlisted, setAside, conflicts, sizes, refusals } = health
  const isWell = problems.length + unlisted + conflicts.length + setAside.length === 0
  return (
    <div class="health">
      {isWell && <AllGood>Every record can be read, and nothing waits to be settled.</AllGood>}
      <Problems problems={problems} unlisted={unlisted} />
      {setAside.length > 0 && (
        <Card title="Broken copies" note={counted(setAside.length, "file")}>
          <p>They contain unreadable records. Copy missing records from them, then delete them.</p>
          <ul class="plain files">
            {setAside.map((file) => (
              <li key={file}>.hivemind/{file}</li>
            ))}
          </ul>
        </Card>
      )}
      <OpenConflicts conflicts={conflicts} />
      <AskedChanges asked={health.asked} />
      <div class="pair">
        <Sizes sizes={sizes} />
        <Card title="State">
          <Facts
            isText
            of={{
              Sync: health.sync ?? "Not in a git repository that can be read: only here.",
              Snapshots: snapshotText(health.snapshots),
              "Log not compacted yet": unfoldedText(health.unfolded),
            }}
          />
        </Card>
      </div>
      <Doctor />
      <SettledConflicts settled={health.settled} />
      <Card title="Refusals" note={refusals.total === 0 ? undefined : counted(refusals.total, "refusal")}>
        {refusals.total === 0 && <p class="quiet">No agent was kept from anything.</p>}
        <Rows of={refusals.items} row={(refusal) => <Refusal refusal={refusal} />} />
        {refusals.more > 0 && (
          <p class="quiet">and {amount(refusals.more)} older ones: hivemind log refusals</p>
        )}
      </Card>
    </div>
  )
}

function unfoldedText({ entries, bytes: size }: HealthView["unfolded"]): string {
  if (entries === 0) return "Nothing."
  return `${amount(entries)} ${entries === 1 ? "entry" : "entries"}, ${bytes(size)}. It happens by itself.`
}

function snapshotText(snapshots: HealthView["snapshots"]): string {
  const { isOn, canTake, count, bytes: size, oldest, keepDays, maxMb } = snapshots
  if (!canTake) return "Git is not installed here: nothing can be restored."
  const kept =
    count === 0
      ? "None yet"
      : `${counted(count, "snapshot")}, ${bytes(size)}, the oldest from ${dayOf(oldest ?? "")}`
  return isOn
    ? `${kept}; kept for ${amount(keepDays)} days, up to ${bytes(maxMb * 1024 * 1024)}.`
    : `${kept}. New ones are switched off (snapshots.enabled).`
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

/** Findings of `hivemind doctor`. It reads the whole log, so it runs on demand. */
function Doctor() {
  const [found, setFound] = useState<DoctorView["checks"] | "running" | "failed" | null>(null)
  if (isExport) return null
  const run = () => {
    setFound("running")
    ask(address("doctor")).then(
      (answer) => setFound((answer as DoctorView).checks),
      () => setFound("failed"),
    )
  }
  return (
    <Card title="Doctor" note="installation, files, log, git and sync">
      {found === "failed" && <p>It cannot be asked here. Run hivemind doctor in a terminal.</p>}
      {Array.isArray(found) && <Checks checks={found} />}
      <button type="button" class="button" aria-disabled={found === "running"} onClick={run}>
        {found === "running" ? "Looking…" : found === null ? "Run all checks" : "Run them again"}
      </button>
    </Card>
  )
}

/** Failed checks one by one, the good ones in one line. */
function Checks({ checks }: DoctorView) {
  const failed = checks.filter(({ level }) => level === "trouble" || level === "warning")
  const good = checks.filter(({ level }) => level === "ok")
  return (
    <ul class="rows checks">
      {failed.map(({ name, level, found, mend }) => (
        <li key={name} class="row">
          <p class="row-head">
            <Badge is={level} /> <span>{name}</span>
          </p>
          {found.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {mend !== null && <p class="quiet">{mend}</p>}
        </li>
      ))}
      <li class="row">
        <p>
          <Badge is="ok" /> {failed.length === 0 ? "All is well: " : "In order: "}
          {good.map(({ name }) => name).join(", ")}.
        </p>
      </li>
    </ul>
  )
}
