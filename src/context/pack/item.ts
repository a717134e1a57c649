/** The parts of the block, in the order they are shown. */
export const sections = [
  "head",
  "chain",
  "next",
  "decisions",
  "turning_points",
  "mems",
  "anti_patterns",
  "anchors",
  "delegations",
  "warnings",
  "was",
] as const
export type Section = (typeof sections)[number]

/** One thing the block may say. */
export interface Item {
  /** What it is about: stays the same while its text changes. */
  key: string
  section: Section
  /** Higher is kept longer when the budget is tight. */
  worth: number
  /** Why it was chosen, for people. */
  reason: string
  /** How many wordings there are, from the fullest to the tersest. */
  levels: number
  /** The element in one of its wordings; 0 is the fullest. If that one is the same, nothing changed. */
  render: (level: number) => string
}

/** What did not make it into the block. Only some of the keys are named: there can be thousands. */
export interface Dropped {
  section: Section
  reason: string
  count: number
  keys: string[]
}
