import { useState } from "preact/hooks"
import type { DoctorView } from "../../answers/model.ts"
import { address, ask, isExport } from "../data/data.ts"
import { project } from "../data/route.ts"
import { Badge } from "../parts/badge.tsx"
import { Card } from "../parts/card.tsx"

type Found = DoctorView["checks"] | "asking" | "none" | null

/** What `hivemind doctor` finds. Asked for when somebody wants it: it reads all of the log. */
export function Doctor() {
  const [found, setFound] = useState<Found>(null)
  if (isExport) return null
  const look = () => {
    setFound("asking")
    ask(address("doctor"), project.value).then(
      (answer) => setFound((answer as DoctorView).checks),
      () => setFound("none"),
    )
  }
  return (
    <Card title="Doctor" note="installation, files, log, git and sync">
      {found === "none" && <p>It cannot be asked here. Run hivemind doctor in a terminal.</p>}
      {Array.isArray(found) && <Checks checks={found} />}
      <button type="button" class="button" aria-disabled={found === "asking"} onClick={look}>
        {found === "asking" ? "Looking…" : found === null ? "Run all checks" : "Run them again"}
      </button>
    </Card>
  )
}

/** What needs somebody first; what is in order in one line. */
function Checks({ checks }: DoctorView) {
  const wrong = checks.filter(({ level }) => level === "trouble" || level === "warning")
  const good = checks.filter(({ level }) => level === "ok")
  return (
    <ul class="rows checks">
      {wrong.map(({ name, level, found, mend }) => (
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
          <Badge is="ok" /> {wrong.length === 0 ? "All is well: " : "In order: "}
          {good.map(({ name }) => name).join(", ")}.
        </p>
      </li>
    </ul>
  )
}
