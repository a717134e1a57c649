import { countIn } from "../../graph/metrics.ts"
import type { Problem, ProblemCode } from "../../graph/problem.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Config } from "../../schemas/config.ts"
import { type SignalName, signalNames } from "../../schemas/signals.ts"
import type { Reading } from "../../store/store.ts"
import { driftScore } from "../../watch/drift-report.ts"
import { allCalls, metricsOf } from "../../watch/session-metrics.ts"
import {
  activeSignals,
  type Severity,
  signalRules,
  type Warning,
  type Watched,
  warningOf,
} from "../../watch/signals.ts"
import { isAcknowledged, shownInTurn, type VisibleWarning, warningsToShow } from "../../watch/warnings.ts"
import { hashOf } from "../pack/item.ts"
import { warningElement } from "../pack/record-items.ts"
import type { Injection } from "./record.ts"

/** The warnings for a new message, given the injections that the model still sees. */
export function packedWarnings(
  { config }: Pick<Hive, "config">,
  { state, problems }: Reading,
  session: string,
  visible: readonly Injection[],
  now: number,
): Warning[] {
  const broken = quarantineWarnings(problems.filter(({ level }) => level === "quarantined"))
  if (config.governance === "off") return broken
  const { detection } = config
  const watched = { state, session, metrics: metricsOf(state, session), now, detection }
  const last = (name: SignalName) => lastWarning(visible, name, detection)
  const shown = warningsToShow(watched, { since: visibleSince(visible, now), last })
  const eased = easedInTurn(watched, visible).flatMap(({ name, severity }) =>
    severity === undefined || shown.some(({ id }) => id === name)
      ? []
      : [warningOf(name, severity, detection)],
  )
  return [...broken, ...shown, ...eased]
}

/** Warnings, as they were worded in tool results of earlier turns, that are over or less severe by now. */
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

/** How far a session is off its course when a message comes. Kept with the message, to find later where drift began. */
export function driftNow(
  { config, source }: Pick<Hive, "config" | "source">,
  state: GraphState,
  session: string,
): NonNullable<Injection["drift"]> {
  const metrics = metricsOf(state, session)
  const found = activeSignals({ state, session, metrics, now: source.now(), detection: config.detection })
  const signals = found.filter(({ name }) => signalRules[name].moves === "drift")
  const { score } = driftScore({ signals, calls: 0, failures: 0, unreadable: 0 })
  return {
    score,
    signals: signals.map(({ name }) => name),
    found: found.map(({ name, value }) => `${Math.round(value * 10) / 10} ${signalRules[name].unit}`),
    calls: { all: allCalls(metrics), failed: countIn(metrics.counts, "tool_failures") },
  }
}

/** Tool results are in no injection: the counters say when they warned. */
function easedInTurn(
  watched: Watched,
  visible: readonly Injection[],
): { name: SignalName; said: Severity; severity: Severity | undefined }[] {
  const since = visibleSince(visible, watched.now)
  const told = signalNames.flatMap((name) => {
    const shown = shownInTurn(watched, name)
    const isTold = shown !== undefined && shown.at >= since && !isSaidSince(visible, name, shown.at)
    return isTold ? [{ name, said: shown.severity }] : []
  })
  if (told.length === 0) return []
  const names = told.map(({ name }) => name)
  const active = activeSignals(watched, names).filter(
    ({ name, severity }) => !isAcknowledged(watched.metrics, name, severity),
  )
  return told
    .map((each) => ({ ...each, severity: active.find(({ name }) => name === each.name)?.severity }))
    .filter(({ said, severity }) => severity !== said)
}

function visibleSince(visible: readonly Injection[], now: number): number {
  return visible[0] === undefined ? now : Date.parse(visible[0].at)
}

/** True if a later message has mentioned the signal, or was a keyframe. */
function isSaidSince(visible: readonly Injection[], name: SignalName, at: number): boolean {
  return visible
    .filter((each) => Date.parse(each.at) > at)
    .some(({ kind, items, gone }) => kind === "keyframe" || [...items, ...gone].some(isAbout(name)))
}

function isAbout(name: SignalName): (item: { kind: string; id: string }) => boolean {
  return ({ kind, id }) => kind === "warning" && id === name
}

/** When these injections last warned of a signal. Undefined if they did not, or if its threshold and so its text has changed. */
export function lastWarning(
  injections: readonly Injection[],
  name: SignalName,
  detection: Config["detection"],
): VisibleWarning | undefined {
  let isRetracted = false
  for (const { at, kind, items, gone } of injections.toReversed()) {
    const item = items.find(isAbout(name))
    if (item !== undefined) {
      const { severity, hash } = item
      if (severity === undefined) return undefined
      const isSame = hash === hashOf(warningElement(warningOf(name, severity, detection)))
      return isSame ? { at: Date.parse(at), isRetracted, severity } : undefined
    }
    if (kind === "keyframe" || gone.some(isAbout(name))) isRetracted = true
  }
  return undefined
}

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
