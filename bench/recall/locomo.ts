import { existsSync, readFileSync } from "node:fs"
import type { NewRecordOf } from "../../src/schemas/records.ts"
import { derivedId } from "../../src/shared/ids.ts"
import { stampOf } from "../../src/shared/stamp.ts"
import { dataFile } from "../data.ts"

/** One conversation: its turns, and questions with the turns that answer them. */
export interface Conversation {
  name: string
  turns: Turn[]
  questions: { text: string; answers: string[] }[]
}

export interface Turn {
  id: string
  /** The session of the conversation that it is from. */
  session: string
  text: string
}

/** LoCoMo as it is published, or half of it. Undefined where neither is there: its licence does not allow to ship it. */
export function readLocomo(): Conversation[] | undefined {
  const file = FILES.find((each) => existsSync(each))
  if (file === undefined) return undefined
  const data: Sample[] = JSON.parse(readFileSync(file, "utf8"))
  return data.map(({ sample_id, conversation, qa }) => ({
    name: sample_id,
    turns: Object.entries(conversation).flatMap(([session, turns]) =>
      Array.isArray(turns) ? turns.map((turn) => ({ id: turn.dia_id, session, text: textOf(turn) })) : [],
    ),
    questions: qa
      .map(({ question, evidence = [] }) => ({ text: question, answers: evidence.flatMap(turnIds) }))
      .filter(({ answers }) => answers.length > 0),
  }))
}

/** A turn as a mem: its session is the task it came from, and it is related to the turn that it answers. */
export function turnMem(conversation: string, turn: Turn, before: Turn | undefined): NewRecordOf<"mem"> {
  const at = new Date(0).toISOString()
  return {
    id: memId(conversation, turn.id),
    origin_task_id: derivedId(conversation, turn.session),
    session_id: null,
    shelf: "context",
    origin: "saved",
    kind: "fact",
    status: "active",
    content: turn.text,
    tags: [],
    evidence: [],
    confidence: 1,
    resolved: null,
    supersedes: null,
    related_to: before?.session === turn.session ? [memId(conversation, before.id)] : [],
    reason: null,
    stale_at: null,
    branch: null,
    created_at: at,
    updated_at: at,
    stamp: stampOf(0),
  }
}

export function memId(conversation: string, turn: string): string {
  return derivedId(conversation, turn)
}

interface Sample {
  sample_id: string
  conversation: Record<
    string,
    string | { speaker: string; dia_id: string; text: string; blip_caption?: string }[]
  >
  qa: { question: string; evidence?: string[] }[]
}

function textOf({
  speaker,
  text,
  blip_caption,
}: {
  speaker: string
  text: string
  blip_caption?: string
}): string {
  return `${speaker}: ${text}${blip_caption === undefined ? "" : ` [shared a photo of ${blip_caption}]`}`
}

/** A few are malformed, such as "D8:6; D9:17" and "D:11:26". */
function turnIds(evidence: string): string[] {
  return evidence.split(/[;,\s]+/).flatMap((each) => {
    const match = /^D:?(\d+):(\d+)$/.exec(each)
    return match === null ? [] : [`D${match[1]}:${match[2]}`]
  })
}

const FILES = [dataFile("locomo10.json"), dataFile("locomo-dev.json")]
