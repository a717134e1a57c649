import { sessionOf } from "../../graph/read-head.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { derivedId } from "../../shared/ids.ts"
import { stampOf } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import { correctionIn } from "../../shared/text/corrections.ts"
import { isCommonWord } from "../../shared/text/tokens.ts"
import { addOnce, memByRule } from "../memory/by-rule.ts"

/**
 * Keeps a user's correction as a mem for later sessions, once per wording. Skipped: corrections that say nothing by
 * themselves ("no, that's wrong"), and reports that something still fails.
 */
export async function keepCorrection(
  hive: Hive,
  caller: Caller & { session: string },
  message: string,
  given: { rejectsCall?: boolean; isAnswer?: boolean } = {},
): Promise<Mem[]> {
  const { store, source, config } = hive
  const content = store.isThere() ? tellingCorrection(message, given) : undefined
  if (content === undefined) return []
  const now = source.now()
  const mem = memByRule(
    {
      id: derivedId("correction", wordsOf(content).join(" ")),
      shelf: "corrections",
      origin: "correction",
      kind: "insight",
      content,
      session_id: caller.session,
      stamp: sessionOf(store.read().state, caller.session)?.stamp ?? stampOf(now),
    },
    new Date(now).toISOString(),
    config.stale_after_hours,
  )
  return addOnce(hive, caller, [mem])
}

/** A correction that says something by itself; undefined where there is none. */
export function tellingCorrection(
  message: string,
  given: { rejectsCall?: boolean; isAnswer?: boolean } = {},
): string | undefined {
  const correction = correctionIn(message, given)
  if (correction === undefined || correction.isStillWrong) return undefined
  const content = shorten(restOfLine(message, correction.sentence), MAX_CHARS)
  const telling = wordsOf(content).filter((word) => !isCommonWord(word))
  return new Set(telling).size < MIN_TELLING_WORDS ? undefined : content
}

function wordsOf(content: string): string[] {
  return content.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._/-]{2,}/gu) ?? []
}

/** The rest of the line explains the correction: "No. Tokens expire after 15 minutes." */
function restOfLine(message: string, sentence: string): string {
  const line = message.split("\n").find((each) => each.includes(sentence)) ?? sentence
  return line.slice(line.indexOf(sentence)).trim()
}

const MAX_CHARS = 240
const MIN_TELLING_WORDS = 2
