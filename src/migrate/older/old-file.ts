import type { Found } from "../found.ts"
import type { Known } from "./known.ts"

/** A file that an older tool of this family has left. */
export interface OldFile {
  /** Which layout it belongs to, for people. */
  layout: string
  path: string
  /** For people: relative to the project. */
  name: string
  /** When it was last written: the time of what in it has none. */
  at: string
  /** A document, or outside of `.hivemind/`: it stays where it is. */
  stays: boolean
  /** It cannot be read: the next run tries again. */
  isUnreadable?: true
  /** A folder that cannot be looked into, in place of what is in it. */
  isDenied?: true
  /** When it is its turn, as a place in STEPS. */
  step: number
  read: (file: OldFile, known: Known) => AsyncIterable<Found>
}

/** The name of a place in a file, for people. */
export function placeIn({ name }: OldFile, key: string, index: number | null = null): string {
  return index === null ? `${name} ${key}`.trim() : `${name} ${key}[${index}]`
}
