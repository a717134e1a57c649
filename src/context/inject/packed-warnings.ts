import type { Problem, ProblemCode } from "../../graph/problem.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Config } from "../../schemas/config.ts"
import { type SignalName, signalNames } from "../../schemas/signals.ts"
import type { Reading } from "../../store/store.ts"
import { activeSignals, warningOf } from "../../watch/active-signals.ts"
import { metricsOf } from "../../watch/session-metrics.ts"
import type { Watched } from "../../watch/signals.ts"
import type { Severity, Warning } from "../../watch/warning.ts"
import { isAcknowledged, shownInTurn, type VisibleWarning, warningsToShow } from "../../watch/warnings.ts"
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
  const broken = quarantineWarnings(problems.filter(({ level }) => level === "quarantined"))
  // Who turned governance off wants to be left alone; what was counted is still there to be asked for.
  if (config.governance === "off") return broken
  const { detection } = config
  const watched = { state, session, metrics: metricsOf(state, session), now, detection }
  const since = visible[0] === undefined ? now : Date.parse(visible[0].at)
  const last = (name: SignalName) => lastWarning(visible, name, detection)
  const shown = warningsToShow(watched, { since, last })
  const eased = easedInTurn(watched, visible).flatMap(({ name, severity }) =>
    severity === undefined || shown.some(({ id }) => id === name)
      ? []
      : [warningOf(name, severity, detection)],
  )
  return [...broken, ...shown, ...eased]
}

/** What a call of an earlier turn has warned of, as it was said, and what is over or less severe by now. */
export function outdatedWarnings(
  { config }: Pick<Hive, "config">,
  { state }: Pick<Reading, "state">,
  session: string,
  visible: readonly Injection[],
  now: number,
): Warning[] {
  const { detection } = config
  if (config.governance === "off") return []
  const watched = { state, session, metrics: metricsOf(state, session), now, detection }
  return easedInTurn(watched, visible).map(({ name, said }) => warningOf(name, said, detection))
}

/** A result of a call is in no injection: that it has warned is known from when it did. */
function easedInTurn(
  watched: Watched,
  visible: readonly Injection[],
): { name: SignalName; said: Severity; severity: Severity | undefined }[] {
  const since = visible[0] === undefined ? watched.now : Date.parse(visible[0].at)
  const told = signalNames.flatMap((name) => {
    const shown = shownInTurn(watched, name)
    return shown === undefined || shown.at < since || isSaidSince(visible, name, shown.at)
      ? []
      : [{ name, said: shown.severity }]
  })
  if (told.length === 0) return []
  const active = activeSignals(
    watched,
    told.map(({ name }) => name),
  ).filter(({ name, severity }) => !isAcknowledged(watched.metrics, name, severity))
  return told
    .map((each) => ({ ...each, severity: active.find(({ name }) => name === each.name)?.severity }))
    .filter(({ said, severity }) => severity !== said)
}

/** A later message has spoken of it, or has said all anew. */
function isSaidSince(visible: readonly Injection[], name: SignalName, at: number): boolean {
  return visible
    .filter((each) => Date.parse(each.at) > at)
    .some(({ kind, items, gone }) => kind === "keyframe" || [...items, ...gone].some(isAbout(name)))
}

function isAbout(name: SignalName): (item: { kind: string; id: string }) => boolean {
  return ({ kind, id }) => kind === "warning" && id === name
}

/** When these injections last warned of a pattern, and whether they have taken it back since. */
export function lastWarning(
  injections: readonly Injection[],
  name: SignalName,
  detection: Config["detection"],
): VisibleWarning | undefined {
  let isRetracted = false
  for (const { at, kind, items, gone } of injections.toReversed()) {
    const item = items.find(isAbout(name))
    if (item !== undefined) return asShown(item, name, detection, { at: Date.parse(at), isRetracted })
    if (kind === "keyframe" || gone.some(isAbout(name))) isRetracted = true
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

/** Names files that are damaged or gone: then more than a record may be missing from what the model reads. */
function quarantineWarnings(quarantined: readonly Problem[]): Warning[] {
  if (quarantined.length === 0) return []
  const files = quarantined.filter(({ code }) => FILE_CODES.has(code)).slice(0, MAX_FILES)
  const text =
    files.length === 0
      ? `${quarantined.length} record(s) of the graph could not be read and are in quarantine`
      : `${quarantined.length} part(s) of the graph are damaged or missing: ` +
        files.map(({ file, reason }) => `.hivemind/${file}: ${reason}`).join("; ")
  return [{ id: "quarantine", severity: "medium", text }]
}

const MAX_FILES = 3
const FILE_CODES: ReadonlySet<ProblemCode> = new Set(["missing_file", "broken_file", "lost_entries"])
