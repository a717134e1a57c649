import { countsOf } from "../../graph/counters.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Config } from "../../schemas/config.ts"
import type { SignalName } from "../../schemas/signals.ts"
import type { Reading } from "../../store/store.ts"
import { warningOf } from "../../watch/active-signals.ts"
import { severities, type Warning } from "../../watch/warning.ts"
import { type Told, warningsToTell } from "../../watch/warnings.ts"
import { hashOf } from "../pack/delta.ts"
import { warningElement, warningKey } from "../pack/warning-item.ts"
import type { Injection } from "./record.ts"

/** What a new message of a session warns of, given the injections that the model still sees. */
export function packedWarnings(
  { config }: Pick<Hive, "config">,
  { state, problems }: Reading,
  session: string,
  visible: readonly Injection[],
  now: number,
): Warning[] {
  const broken = quarantineWarnings(problems.filter(({ level }) => level === "quarantined").length)
  // Who turned governance off wants to be left alone; what was counted is still there to be asked for.
  if (config.governance === "off") return broken
  const { detection } = config
  const watched = { state, session, counts: countsOf(state, session), now, detection }
  const since = visible[0] === undefined ? now : Date.parse(visible[0].at)
  const toldOf = (name: SignalName) => lastTold(visible, name, detection)
  return [...broken, ...warningsToTell(watched, { since, toldOf })]
}

/** When these injections last told of a pattern, and whether they have taken it back since. */
export function lastTold(
  injections: readonly Injection[],
  name: SignalName,
  detection: Config["detection"],
): (Told & { stands: boolean }) | undefined {
  const key = warningKey(name)
  let stands = true
  for (const { at, kind, items, gone } of injections.toReversed()) {
    const item = items.find((each) => each.key === key)
    if (item !== undefined) {
      const severity = severities.find(
        (each) => hashOf(warningElement(warningOf(name, each, detection))) === item.hash,
      )
      // Said with another threshold: it is worded anew.
      return severity && { at: Date.parse(at), severity, stands }
    }
    if (kind === "keyframe" || gone.includes(key)) stands = false
  }
  return undefined
}

function quarantineWarnings(count: number): Warning[] {
  if (count === 0) return []
  const text = `${count} record(s) of the graph could not be read and are in quarantine`
  return [{ id: "quarantine", severity: "medium", text }]
}
