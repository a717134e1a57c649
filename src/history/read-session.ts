import { derivedId } from "../shared/ids.ts"
import { maskAll, maskSecrets } from "../shared/secrets/mask.ts"
import type { Pausing } from "../shared/slices.ts"
import { withoutHidden } from "../shared/text/clean.ts"
import type { HistoryFiles } from "../store/history-files.ts"
import { type Digest, digestSession } from "./extract/digest.ts"
import { type AgentName, cutOutput, type FoundSession, type Step, type Steps } from "./read/step.ts"

export interface ReadSession extends Digest {
  format: number
  key: string
  agent: AgentName
  id: string
  path: string
  version: string
}

/** The key of a session, derived from its agent and id, so that every run finds the same session. */
export function keyOf({ agent, id }: Pick<FoundSession, "agent" | "id">): string {
  return derivedId("past session", agent, id)
}

/** The state that an earlier run saved for a session; undefined if none did, or only one with another FORMAT. */
export function readSummary(files: HistoryFiles, key: string): ReadSession | undefined {
  const found = files.readSession(key) as ReadSession | undefined
  return found?.format === FORMAT && found.key === key ? found : undefined
}

export function* readSession(
  found: FoundSession,
  steps: Steps,
): Pausing<{ session: ReadSession; passages: Passage[] }> {
  const { agent, id, path, version } = found
  const key = keyOf(found)
  const passages: Passage[] = []
  const making = createPassages(key, (passage) => {
    if (passages.length < MAX_PASSAGES) passages.push(passage)
  })
  const digest = yield* digestSession(steps, making.take)
  making.close()
  const began = digest.began || found.modified
  const about = { format: FORMAT, key, agent, id, path, version, began, ended: digest.ended || began }
  return { session: { ...maskAll({ ...digest }), ...about }, passages }
}

/** Increase this when the rules of extraction change, so that every session is read again. */
const FORMAT = 2
// `recall --history` does not find passages beyond this number, which only very long sessions reach.
const MAX_PASSAGES = 20_000

/** Consecutive messages and calls of a past session, which recall finds as one text. */
export interface Passage {
  id: string
  ids: string[]
  at: string
  text: string
}

/** Divides a session into passages. Every message of the user begins a new one. Secrets are masked. */
function createPassages(session: string, add: (passage: Passage) => void) {
  let [texts, ids]: [string[], string[]] = [[], []]
  let [at, count] = ["", 0]

  function close(): void {
    const id = derivedId("passage", session, `${++count}`)
    const text = texts.join("\n")
    if (text !== "") add({ id, ids: [...new Set(ids)], at, text: maskSecrets(withoutHidden(text)) })
    ;[texts, ids] = [[], []]
  }

  return {
    take(step: Step): void {
      for (const text of piecesOf(textOf(step))) {
        const isFull = texts.join("").length + text.length > PASSAGE_CHARS
        if (texts.length > 0 && (step.what === "user" || isFull)) close()
        if (texts.length === 0) at = step.at
        texts.push(text)
        ids.push(...step.ids)
      }
    },
    close,
  }
}

function textOf(step: Step): string {
  if (step.what === "user") return `User: ${step.text.slice(0, MAX_STEP_CHARS)}`
  if (step.what === "say") return step.text.slice(0, MAX_STEP_CHARS)
  if (step.kind === "edit") return `Changed ${step.files.join(", ")}`
  if (step.kind !== "run") return ""
  // More output is kept of a failed command, because it is searched for more often.
  const output = cutOutput(step.output, step.isOk === false ? 800 : 240)
  return `$ ${step.command.slice(0, MAX_COMMAND_CHARS)}\n${output}`.trim()
}

function piecesOf(text: string): string[] {
  if (text.trim() === "") return []
  const pieces: string[] = []
  for (const paragraph of text.split(/\n{2,}/)) {
    const last = pieces.at(-1)
    if (last !== undefined && last.length + paragraph.length < PASSAGE_CHARS)
      pieces[pieces.length - 1] = `${last}\n\n${paragraph}`
    else pieces.push(paragraph)
  }
  return pieces
}

const PASSAGE_CHARS = 1200
const MAX_STEP_CHARS = 12_000
const MAX_COMMAND_CHARS = 600
