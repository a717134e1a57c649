import { useState } from "preact/hooks"
import type { ConflictRow, DoctorView, HealthView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, ask, isExport } from "../data/data.ts"
import { amount, bytes, counted, dayOf, Time } from "../parts/format.tsx"
import { SendButton } from "../parts/forms.tsx"
import { AllGood, Card, Facts, Loaded, Row, Rows, RowsCard } from "../parts/layout.tsx"
import { Badge, Refusal } from "../parts/records.tsx"

export function Health() {
  const answer = useAnswer<HealthView>(address("health"))
  return <Loaded answer={answer}>{(health) => <Report health={health} />}</Loaded>
}

function Report({ health }: { health: HealthView }) {
  const { problems, unlisted, setAside, conflicts, sizes, refusals } = health
  const isWell = problems.length + unlisted + conflicts.length + setAside.length === 0
  return (
    <div class="health">
      {isWell && <AllGood>Every record can be read, and no conflict waits for your decision.</AllGood>}
      <Problems problems={problems} unlisted={unlisted} />
      {setAside.length > 0 && (
        <Card title="Broken copies" note={counted(setAside.length, "file")}>
          <p>These files have records that HiveMind cannot read. Copy out what you need, then delete them.</p>
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
              Sync: health.sync ?? "Off: this folder is not in a git repository that can be read.",
              Snapshots: snapshotText(health.snapshots),
              "Log entries not in the graph files yet": unfoldedText(health.unfolded),
            }}
          />
        </Card>
      </div>
      <Doctor />
      <SettledConflicts settled={health.settled} />
      <Card title="Refusals" note={refusals.total === 0 ? undefined : counted(refusals.total, "refusal")}>
        {refusals.total === 0 && <p class="quiet">HiveMind has not refused any call.</p>}
        <Rows of={refusals.items} row={(refusal) => <Refusal refusal={refusal} />} />
        {refusals.more > 0 && (
          <p class="quiet">and {amount(refusals.more)} older ones: run hivemind log refusals</p>
        )}
      </Card>
    </div>
  )
}

function unfoldedText({ entries, bytes: size }: HealthView["unfolded"]): string {
  if (entries === 0) return "None."
  return `${amount(entries)} ${entries === 1 ? "entry" : "entries"}, ${bytes(size)}. HiveMind adds them by itself.`
}

function snapshotText(snapshots: HealthView["snapshots"]): string {
  const { isOn, canTake, count, bytes: size, oldest, keepDays, maxMb } = snapshots
  if (!canTake) return "Git is not installed here, so HiveMind takes no snapshots and cannot restore files."
  const kept =
    count === 0
      ? "None yet"
      : `${counted(count, "snapshot")}, ${bytes(size)}, the oldest from ${dayOf(oldest ?? "")}`
  return isOn
    ? `${kept}; kept for ${amount(keepDays)} days, up to ${bytes(maxMb * 1024 * 1024)}.`
    : `${kept}. HiveMind takes no new ones: snapshots.enabled is false in the configuration.`
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

/** The checks of `hivemind doctor`. They read the whole log, so they only run when the user asks for them. */
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
      {found === "failed" && <p>The checks could not be run here. Run hivemind doctor in a terminal.</p>}
      {Array.isArray(found) && <Checks checks={found} />}
      <button type="button" class="button" aria-disabled={found === "running"} onClick={run}>
        {found === "running" ? "Checking…" : found === null ? "Run all checks" : "Run them again"}
      </button>
    </Card>
  )
}

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
          <Badge is="ok" /> {failed.length === 0 ? "All is well: " : "No problems: "}
          {good.map(({ name }) => name).join(", ")}.
        </p>
      </li>
    </ul>
  )
}

function Problems({ problems, unlisted }: Pick<HealthView, "problems" | "unlisted">) {
  return (
    <>
      <RowsCard
        title="Problems"
        unit="problem"
        of={problems.map((each) => ({ ...each, id: `${each.file} ${each.what}` }))}
        row={({ what, level, file, mend }) => (
          <Row head={<Badge is={level} />}>
            <p>{what}</p>
            <p class="files quiet">{file}</p>
            <p>To repair: {mend}</p>
          </Row>
        )}
      />
      {unlisted > 0 && <p class="quiet">and {unlisted} more; hivemind doctor lists them all.</p>}
    </>
  )
}

/** Sync conflicts that a rule decided and that no person has confirmed yet. */
function OpenConflicts({ conflicts }: Pick<HealthView, "conflicts">) {
  const row = (conflict: ConflictRow) => <Conflict conflict={conflict} isOpen />
  return <RowsCard title="Sync conflicts" unit="conflict" of={conflicts} row={row} />
}

function SettledConflicts({ settled }: Pick<HealthView, "settled">) {
  if (settled.length === 0) return null
  return (
    <details class="card">
      <summary>{counted(settled.length, "settled sync conflict")}</summary>
      <Rows of={settled} row={(conflict) => <Conflict conflict={conflict} isOpen={false} />} />
    </details>
  )
}

function Conflict({ conflict, isOpen }: { conflict: ConflictRow; isOpen: boolean }) {
  const { id, record, happened, stands, lost, kept_by, lost_by, at } = conflict
  const side = (title: string, clone: string | null, text: string, take: "kept" | "lost", action: string) => (
    <div>
      <p class="quiet">
        {title}
        {clone !== null && `, from clone ${clone}`}
      </p>
      <p>{text}</p>
      {isOpen && (
        <SendButton
          command={{ do: "settle_conflict", conflict: id, take }}
          label={`${take === "kept" ? "Keep the current value" : "Take the other value"} of ${record}`}
        >
          {action}
        </SendButton>
      )}
    </div>
  )
  return (
    <Row head={[<strong>{record}</strong>, " ", <span>{happened}</span>]} meta={[<Time at={at} />]}>
      <div class="versus">
        {side("Current value", kept_by, stands, "kept", "Keep this")}
        {side("Other value", lost_by, lost, "lost", "Take this instead")}
      </div>
    </Row>
  )
}

function AskedChanges({ asked }: Pick<HealthView, "asked">) {
  return (
    <RowsCard
      title="Your changes"
      unit="change"
      of={asked}
      row={({ at, from, text, isWaiting, refusal }) => (
        <Row
          head={[<Badge is={isWaiting ? "waiting" : "refusal"} />, <span>{text}</span>]}
          meta={[<Time at={at} />, `from ${from}`]}
        >
          {refusal !== null && (
            <p class="quiet">
              {refusal.what} {refusal.why} {refusal.use_instead}
            </p>
          )}
        </Row>
      )}
    />
  )
}
