import { correctionIn } from "../../src/shared/text/corrections.ts"
import { figure } from "../figures.ts"
import type { SessionsPart } from "./part.ts"
import { type LabelledPrompt, readLabelledPrompts, readRecordedSessions } from "./read-sessions.ts"
import { userMessage } from "./user-messages.ts"

/** How many prompts that correct the agent are recognised as corrections, and how many other prompts are. */
export async function measure(): Promise<SessionsPart> {
  const prompts = readLabelledPrompts()
  const rejecting = rejectingPrompts()
  const isFound = ({ session, text }: LabelledPrompt) =>
    correctionIn(text, { rejectsCall: rejecting.has(`${session} ${text}`) }) !== undefined
  const corrections = prompts.filter(({ correction }) => correction !== undefined)
  const others = prompts.filter(({ correction }) => correction === undefined)
  const right = corrections.filter(isFound).length
  const wrong = others.filter(isFound).length
  const byWords = corrections.filter(({ text }) => correctionIn(text) !== undefined).length
  const wrongByWords = others.filter(({ text }) => correctionIn(text) !== undefined).length
  const recognised = (right / corrections.length) * 100
  const mistaken = (wrong / others.length) * 100
  return {
    rows: [
      ["corrections recognised", `${figure(recognised)} %`, `${right} of ${corrections.length}`],
      ["other prompts taken for one", `${figure(mistaken)} %`, `${wrong} of ${others.length}`],
      [
        "by the words alone",
        `${figure((byWords / corrections.length) * 100)} %`,
        `${byWords} of ${corrections.length}, and ${wrongByWords} of ${others.length} others`,
      ],
    ],
    bars: [
      { what: "corrections recognised", value: recognised, unit: "%", atLeast: 35 },
      { what: "other prompts taken for a correction", value: mistaken, unit: "%", atMost: 3 },
    ],
    notes: [
      "Corrections: labelled prompts of real engineers. The cues were written with these labels in sight; another half of the prompts was not seen.",
    ],
    figures: { recognised_percent: recognised, mistaken_percent: mistaken, right, wrong, by_words: byWords },
  }
}

/** Prompts that the user typed while rejecting a call. The labels do not say so; the recorded sessions do. */
function rejectingPrompts(): Set<string> {
  const found = new Set<string>()
  for (const { session, events } of readRecordedSessions() ?? [])
    events.forEach(({ user }, at) => {
      if (user === undefined) return
      const message = userMessage(events, at)
      if (message?.what === "rejected call") found.add(`${session} ${message.text}`)
    })
  return found
}
