import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { correctionIn, type MessageContext } from "../../shared/text/corrections.ts"
import { isCommonWord } from "../../shared/text/tokens.ts"
import type { SessionCaller } from "../../work/write.ts"
import { addOnce, memByRule } from "../memory/by-rule.ts"

/** Saves a user's correction as a mem, once per wording. "no, that's wrong" and "it still fails" are skipped. */
export async function keepCorrection(
  hive: Hive,
  caller: SessionCaller,
  message: string,
  context: MessageContext = {},
): Promise<Mem[]> {
  const content = hive.store.isThere() ? tellingCorrection(message, context) : undefined
  if (content === undefined) return []
  const mem = memByRule(hive, new Date(hive.source.now()).toISOString(), {
    id: derivedId("correction", wordsOf(content).join(" ")),
    shelf: "corrections",
    origin: "correction",
    kind: "insight",
    content,
    session_id: caller.session,
  })
  return addOnce(hive, caller, [mem])
}

/** Returns the correction in a user's message, if it can be understood without the conversation. */
export function tellingCorrection(message: string, context: MessageContext = {}): string | undefined {
  const correction = correctionIn(message, context)
  if (correction === undefined || correction.isStillWrong) return undefined
  const content = shorten(restOfLine(message, correction.sentence), MAX_CHARS)
  const telling = wordsOf(content).filter((word) => !isCommonWord(word))
  return new Set(telling).size < MIN_TELLING_WORDS ? undefined : content
}

function wordsOf(content: string): string[] {
  return content.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._/-]{2,}/gu) ?? []
}

/** Returns the sentence with the rest of its line, which often explains the sentence: "No. Tokens expire after 15 minutes." */
function restOfLine(message: string, sentence: string): string {
  const line = message.split("\n").find((each) => each.includes(sentence)) ?? sentence
  return line.slice(line.indexOf(sentence)).trim()
}

const MAX_CHARS = 240
const MIN_TELLING_WORDS = 2
