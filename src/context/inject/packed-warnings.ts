import type { Hive } from "../../hive/hive.ts"
import type { Config } from "../../schemas/config.ts"
import type { SignalName } from "../../schemas/signals.ts"
import type { Reading } from "../../store/store.ts"
import { warningOf } from "../../watch/active-signals.ts"
import { metricsOf } from "../../watch/session-metrics.ts"
import type { Warning } from "../../watch/warning.ts"
import { type VisibleWarning, warningsToShow } from "../../watch/warnings.ts"
import { hashOf } from "../pack/text-hash.ts"
import { warningElement } from "../pack/warning-item.ts"
import type { InjectedItem, Injection } from "./record.ts"

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
  const watched = { state, session, metrics: metricsOf(state, session), now, detection }
  const since = visible[0] === undefined ? now : Date.parse(visible[0].at)
  const last = (name: SignalName) => lastWarning(visible, name, detection)
  return [...broken, ...warningsToShow(watched, { since, last })]
}

/** When these injections last warned of a pattern, and whether they have taken it back since. */
export function lastWarning(
  injections: readonly Injection[],
  name: SignalName,
  detection: Config["detection"],
): VisibleWarning | undefined {
  const isAbout = ({ kind, id }: { kind: string; id: string }) => kind === "warning" && id === name
  let isRetracted = false
  for (const { at, kind, items, gone } of injections.toReversed()) {
    const item = items.find(isAbout)
    if (item !== undefined) return asShown(item, name, detection, { at: Date.parse(at), isRetracted })
    if (kind === "keyframe" || gone.some(isAbout)) isRetracted = true
  }
  return undefined
}

/** Undefined where the threshold has changed since: the warning would say something else now, and is worded anew. */
function asShown(
  { severity, hash }: InjectedItem,
  name: SignalName,
  detection: Config["detection"],
  shown: Omit<VisibleWarning, "severity">,
): VisibleWarning | undefined {
  if (severity === undefined) return undefined
  const isSame = hash === hashOf(warningElement(warningOf(name, severity, detection)))
  return isSame ? { ...shown, severity } : undefined
}

function quarantineWarnings(count: number): Warning[] {
  if (count === 0) return []
  const text = `${count} record(s) of the graph could not be read and are in quarantine`
  return [{ id: "quarantine", severity: "medium", text }]
}
