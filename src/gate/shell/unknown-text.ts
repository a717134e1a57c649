import { shorten } from "../../shared/text/clean.ts"

/**
 * A command is read, never run, so some of its text cannot be known: a variable of the environment, what a program
 * prints. One character of Unicode's private area marks such a piece inside an otherwise ordinary string, so that the
 * rest of the word can still be judged. Text that was downloaded has a marker of its own.
 */
export const UNKNOWN = "\uE000"
export const DOWNLOADED = "\uE001"
/** Behind it: by its address it is a program's release, not a script. */
export const RELEASE = "\uE003"
/** Behind an unknown piece: the shell ends there if it is empty (`${X:?}`). */
export const GUARDED = "\uE004"
/** Names that a program lists; see listed-files.ts. */
export const LISTED = "\uE002"

export function isKnown(text: string): boolean {
  return !text.includes(UNKNOWN) && !text.includes(DOWNLOADED) && !text.includes(LISTED)
}

/** For people: an unknown piece is an ellipsis, and a long text ends in one. */
export function readable(text: string): string {
  return shorten(text.slice(0, MAX_SHOWN * 4).replaceAll(/[\uE000-\uE1FF]+/g, "…"), MAX_SHOWN)
}

/** The other markers are ours alone: in a command they only mean "unknown". */
export function withoutMarkers(text: string): string {
  return text.replaceAll(/[\uE001-\uE004]/g, UNKNOWN)
}

/** Printed perhaps, or only some of it: as one word nobody knows it, as lines each may be there. */
export function perhaps(text: string): string {
  return text === "" ? "" : `${text}\n${UNKNOWN}`
}

/** A variable that doubles itself over and over would grow without end. */
export function bounded(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) + UNKNOWN : text
}

const MAX_SHOWN = 160
const MAX_TEXT = 65_536
