import { derivedId } from "../shared/ids.ts"
import { maskSecrets } from "../shared/secrets/mask.ts"
import { withoutHidden } from "../shared/text/clean.ts"
import type { Step } from "./read/step.ts"

/** A piece of a past session that recall finds: some messages and calls that follow each other. */
export interface Passage {
  id: string
  /** The agent's ids of the messages in it. */
  ids: string[]
  at: string
  text: string
}

/** Divides the steps of a session into passages. None goes beyond a message of the user. Secrets are masked. */
export function createPassages(session: string, add: (passage: Passage) => void) {
  let ids: string[] = []
  let texts: string[] = []
  let [chars, at, count] = [0, "", 0]

  function close(): void {
    if (texts.length > 0)
      add({
        id: derivedId("passage", session, `${++count}`),
        ids: [...new Set(ids)],
        at,
        text: maskSecrets(withoutHidden(texts.join("\n"))),
      })
    ids = []
    texts = []
    chars = 0
  }

  return {
    take(step: Step): void {
      for (const text of piecesOf(textOf(step))) {
        if (texts.length > 0 && (step.what === "user" || chars + text.length > PASSAGE_CHARS)) close()
        if (texts.length === 0) at = step.at
        texts.push(text)
        ids.push(...step.ids)
        chars += text.length
      }
    },
    close,
  }
}

function textOf(step: Step): string {
  if (step.what === "user") return `User: ${step.text.slice(0, MAX_STEP_CHARS)}`
  if (step.what === "say") return step.text.slice(0, MAX_STEP_CHARS)
  if (step.kind === "run") return `$ ${step.command.slice(0, MAX_COMMAND_CHARS)}\n${shortOutput(step)}`.trim()
  return step.kind === "edit" ? `Changed ${step.files.join(", ")}` : ""
}

/** The start and the end of an output; more of a failed one, which is worth finding later. */
function shortOutput({ output, isOk }: Extract<Step, { what: "call" }>): string {
  const most = isOk === false ? 800 : 240
  return output.length <= most ? output : `${output.slice(0, most / 3)}\n…\n${output.slice((-most * 2) / 3)}`
}

/** Long texts are divided between paragraphs. */
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
