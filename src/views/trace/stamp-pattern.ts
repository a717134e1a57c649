import { stamp as stampSchema } from "../../schemas/fields.ts"
import { HiveError } from "../../shared/error.ts"
import { shorten } from "../../shared/text/clean.ts"

/**
 * Finds that stamp in text and no other: neither `301411022026-2` for `301411022026`, nor a piece of a longer number or
 * of an id. Old files have it with a prefix (`t_301411022026`).
 */
export function stampPattern(stamp: string): RegExp {
  if (!stampSchema.safeParse(stamp).success) throw wrongStamp(stamp)
  return new RegExp(`(?<![0-9A-Za-z])${stamp}(?![0-9A-Za-z]|-\\d)`)
}

function wrongStamp(stamp: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `"${shorten(stamp, 40)}" is not a stamp.`,
    why: "A stamp is mmHHDDMMYYYY: 10 to 12 digits, then -2, -3… where that minute was taken.",
    use_instead: "Take one from a session file's name, a commit message or the state: 301411022026.",
    evidence: `stamp = ${shorten(stamp)}`,
  })
}
