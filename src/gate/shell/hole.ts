import { shorten } from "../../shared/text/clean.ts"
/**
 * A command is read, never run, so some of its text cannot be known: a variable of the environment, what a program
 * prints. Such a piece is one character of Unicode's private area inside an otherwise ordinary string, so that the
 * rest of the word can still be judged. Text that came off the network has a mark of its own.
 */
export const HOLE = "\uE000"
export const DOWNLOAD = "\uE001"

export function isKnown(text: string): boolean {
  return !text.includes(HOLE) && !text.includes(DOWNLOAD)
}

/** What a person is shown: a hole is an ellipsis, and a long text ends in one. */
export function readable(text: string): string {
  return shorten(text.slice(0, MAX_SHOWN * 4).replaceAll(/[\uE000\uE001]+/g, "…"), MAX_SHOWN)
}

/** The marks are ours alone: the same characters in a command become a plain "cannot be known". */
export function withoutMarks(text: string): string {
  return text.replaceAll(DOWNLOAD, HOLE)
}

/** Doubling a variable over and over would grow without end. */
export function bounded(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) + HOLE : text
}

const MAX_SHOWN = 160
const MAX_TEXT = 65_536
