import type { Kind, NewRecordOf } from "../schemas/records.ts"

/** A record of ours that is made of something old. */
export type Taken = { [K in Kind]: { kind: K; record: NewRecordOf<K> } }[Kind]

/**
 * One thing that an old file holds, and what is to become of it. Every source record is exactly one of these, so that
 * nothing goes uncounted. Who reads old files yields parents before children, holds no more than one record at a time where
 * there may be many, never writes, and never throws for what a file holds.
 */
export type Found = {
  /** The file and the place in it, for people. */
  from: string
} & (
  | {
      /** One source record may make several of ours: a task with its checkpoints. They are written together. */
      take: readonly Taken[]
      /** What was changed to make it fit, for people. */
      note?: string
    }
  | {
      /** An option of our configuration. */
      setting: { name: string; value: unknown }
    }
  | {
      /** Why it cannot be used; the original is kept, undefined where nobody could read it. */
      quarantine: string
      original: unknown
    }
  | {
      /** Why nothing is to become of it. */
      ignore: string
    }
)
