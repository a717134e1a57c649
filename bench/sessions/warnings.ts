import { toldSignals } from "../../src/watch/signals.ts"
import { figure } from "../figures.ts"
import type { SessionsPart } from "./part.ts"
import { readLabelledPrompts, readRecordedSessions } from "./read-sessions.ts"
import { replay } from "./replay.ts"
import { verdicts } from "./verdicts.ts"

/** Which recorded sessions are warned, of what, and whether a reader found a reason. */
export async function measure(): Promise<SessionsPart> {
  const sessions = readRecordedSessions() ?? []
  const warned: { session: string; told: Map<string, number> }[] = []
  const shown = new Map<string, number>()
  for (const recorded of sessions) {
    const found = await replay(recorded)
    if (found.told.size > 0) warned.push({ session: recorded.session, told: found.told })
    for (const name of found.shown) shown.set(name, (shown.get(name) ?? 0) + 1)
  }
  const hasReason = ({ session }: { session: string }) => verdicts[session]?.hasReason === true
  const ids = new Set(sessions.map(({ session }) => session))
  const corrected = [...correctionsBySession()].flatMap(([id, count]) =>
    count >= 4 && ids.has(id) ? [id] : [],
  )
  const helped = corrected.filter((id) => warned.some(({ session }) => session === id)).length
  const share = (warned.length / sessions.length) * 100
  const right = warned.filter(hasReason).length
  const rightShare = warned.length === 0 ? 100 : (right / warned.length) * 100
  const helpedShare = (helped / corrected.length) * 100
  const bySignal = toldSignals.map((name) => {
    const of = warned.filter(({ told }) => told.has(name))
    return [`told: ${name}`, `${of.length} sessions`, `${of.filter(hasReason).length} with reason`]
  })
  const inStatus = [...shown].filter(([name]) => !toldSignals.some((told) => told === name))
  return {
    rows: [
      ["sessions warned", `${figure(share)} %`, `${warned.length} of ${sessions.length}`],
      ["of these with reason", `${figure(rightShare)} %`, `${right} of ${warned.length}`],
      [
        "sessions with 4 or more corrections that are warned",
        `${figure(helpedShare)} %`,
        `${helped} of ${corrected.length}`,
      ],
      ...bySignal,
      ...inStatus.map(([name, count]) => [`status only: ${name}`, `${count} sessions`, ""]),
    ],
    bars: [
      { what: "real sessions warned", value: share, unit: "%", atMost: 5 },
      { what: "warned sessions with reason", value: rightShare, unit: "%", atLeast: 70 },
      {
        what: "sessions with 4 or more corrections that are warned",
        value: helpedShare,
        unit: "%",
        atLeast: 50,
      },
    ],
    notes: [
      "Warnings: every warned session was read up to the warning (bench/sessions/verdicts.ts); the reader also wrote the rules.",
    ],
    list: warned.map(({ session, told }) => {
      const names = [...told].map(([name, at]) => `${name} at ${at}`).join(", ")
      return `${session} (${names}): ${verdicts[session]?.why ?? "not judged yet"}`
    }),
    figures: { warned: warned.length, with_reason: right, helped, corrected: corrected.length },
  }
}

function correctionsBySession(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { session, correction } of readLabelledPrompts())
    if (correction !== undefined) counts.set(session, (counts.get(session) ?? 0) + 1)
  return counts
}
