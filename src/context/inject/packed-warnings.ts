import { countIn } from "../../graph/metrics.ts"
import type { Problem, ProblemCode } from "../../graph/problem.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { SignalName } from "../../schemas/signals.ts"
import type { Reading } from "../../store/store.ts"
import { driftScore } from "../../watch/drift-report.ts"
import { allCalls, metricsOf } from "../../watch/session-metrics.ts"
import { activeSignals, signalRules, type Warning } from "../../watch/signals.ts"
import { type ShownWarning, warningsToShow } from "../../watch/warnings.ts"
import type { Injection } from "./record.ts"

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
  const since = visible[0] === undefined ? now : Date.parse(visible[0].at)
  return [...broken, ...warningsToShow(watched, { since, last: (name) => lastWarning(visible, name) })]
}

/** A session's current drift score and signals. Each injection stores them, so that the start of a drift can be found later. */
export function driftNow(
  { config, source }: Pick<Hive, "config" | "source">,
  state: GraphState,
  session: string,
): NonNullable<Injection["drift"]> {
  const metrics = metricsOf(state, session)
  const found = activeSignals({ state, session, metrics, now: source.now(), detection: config.detection })
  const signals = found.filter(({ name }) => signalRules[name].moves === "drift")
  const { score } = driftScore(signals)
  return {
    score,
    signals: signals.map(({ name }) => name),
    found: found.map(({ name, value }) => `${Math.round(value * 10) / 10} ${signalRules[name].unit}`),
    calls: { all: allCalls(metrics), failed: countIn(metrics.counts, "tool_failures") },
  }
}

/** When one of these injections last warned of a signal; undefined if none did, or if the warning was withdrawn since. */
export function lastWarning(injections: readonly Injection[], name: SignalName): ShownWarning | undefined {
  const isAbout = ({ kind, id }: { kind: string; id: string }) => kind === "warning" && id === name
  for (const { at, kind, items, gone } of injections.toReversed()) {
    const severity = items.find(isAbout)?.severity
    if (severity !== undefined) return { at: Date.parse(at), severity }
    if (kind === "keyframe" || gone.some(isAbout)) return undefined
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
