import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { listNamesOrEmpty, orUndefined } from "../shared/lenient-files.ts"
import { systemCode } from "../shared/system-error.ts"
import { leftOut, type WorktreeState, worktreeState } from "./worktree-state.ts"

const snapshotRecord = z.strictObject({
  number: z.int().positive(),
  at: z.string(),
  session: z.string().nullable(),
  /** Identifies the turn by the time of the user's message that started it. */
  turn: z.string().nullable(),
  tool: z.string(),
  /** The start of a shell command, with secrets masked. */
  command: z.string().nullable(),
  task: z.string().nullable(),
  /** The id of the work tree; see `worktreeId`. */
  worktree: z.string(),
  before: worktreeState,
  /** The state after the call; null while it runs, or if its process ended first. */
  after: worktreeState.nullable(),
  pid: z.int(),
  /** True if other calls ran at the same time: some of the changes may be theirs. */
  isOverlapped: z.boolean(),
  counts: z.strictObject({ changed: z.number(), created: z.number(), deleted: z.number(), refs: z.number() }),
  /** The first 20 changed files, and the first 20 deleted ones; relative to the top of the work tree. */
  files: z.array(z.string()),
  deleted: z.array(z.string()),
  /** Changed or deleted files that were too large to be saved, so they cannot be restored. */
  notRestorable: z.array(leftOut.extend({ isDeleted: z.boolean() })),
})

export type SnapshotRecord = z.infer<typeof snapshotRecord>
/** The record of a finished call, with the full lists of left-out files. */
export type EndedCall = SnapshotRecord & { after: WorktreeState }

/** Stores each record in a file. Creating the file reserves its number, so that several processes need no lock. */
export function snapshotRecords(repositoryDir: string) {
  const folder = join(repositoryDir, "records")
  const pathOf = (number: number) => join(folder, `${number}.json`)

  function numbers(): number[] {
    const found = listNamesOrEmpty(folder).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    return found.map(Number).sort((a, b) => b - a)
  }

  /** Undefined if the file is missing, or was cut off by a crash. */
  const read = (number: number): SnapshotRecord | undefined =>
    orUndefined(() => snapshotRecord.parse(JSON.parse(readFileSync(pathOf(number), "utf8"))))

  return {
    numbers,
    read,
    add(record: Omit<SnapshotRecord, "number">): SnapshotRecord {
      for (let number = (numbers()[0] ?? 0) + 1; ; number++) {
        const whole = { number, ...record }
        try {
          writeFileSync(pathOf(number), JSON.stringify(whole), { flag: "wx" })
          return whole
        } catch (error) {
          if (systemCode(error) !== "EEXIST") throw error
        }
      }
    },
    replace(record: SnapshotRecord): void {
      const path = pathOf(record.number)
      writeFileSync(`${path}.new`, JSON.stringify(record))
      renameSync(`${path}.new`, path)
    },
    remove: (number: number) => rmSync(pathOf(number), { force: true }),
  }
}

export function snapshotId({ number }: Pick<SnapshotRecord, "number">): string {
  return `S${number}`
}

/** The number in an id such as `S41`; undefined for any other text. */
export function numberOfId(id: string): number | undefined {
  const digits = /^s?(\d{1,9})$/i.exec(id.trim())?.[1]
  return digits === undefined ? undefined : Number(digits)
}
