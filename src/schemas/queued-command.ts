import * as z from "zod"
import { hostSession, id, line, path, ref, time } from "./fields.ts"
import { mem } from "./knowledge.ts"
import { signalNames } from "./signals.ts"
import { task } from "./task.ts"

const { content, kind, shelf, tags, evidence } = mem.shape
const { title, expected_output, verify } = task.shape
const note = z.string().max(2000)

/** A command that a person gives outside of the host, such as in the dashboard. Ids may be shortened. */
export const queuedCommand = z.discriminatedUnion("do", [
  z.strictObject({
    do: z.literal("save_mem"),
    content,
    kind: kind.optional(),
    shelf: shelf.optional(),
    tags: tags.optional(),
    evidence: evidence.optional(),
    origin_task_id: ref.optional(),
    supersedes: ref.optional(),
  }),
  z.strictObject({ do: z.literal("flag_mem"), mem: ref, reason: line }),
  /** Resolves an open decision. `content` is what was decided. */
  z.strictObject({ do: z.literal("resolve_decision"), decision: ref, content }),
  z
    .strictObject({
      do: z.literal("edit_task"),
      task: ref,
      title: title.optional(),
      expected_output: expected_output.optional(),
      /** null removes the check. */
      verify: verify.optional(),
    })
    .refine((given) => Object.keys(given).length > 2, "nothing to change was given"),
  z.strictObject({ do: z.literal("block_task"), task: ref, reason: line }),
  z.strictObject({ do: z.literal("unblock_task"), task: ref }),
  /** Releases the task from the session that works on it. */
  z.strictObject({ do: z.literal("take_task"), task: ref }),
  /** Moves a task before one of its siblings, or to the end if `before` is null. */
  z.strictObject({ do: z.literal("move_task"), task: ref, before: ref.nullable() }),
  z.strictObject({ do: z.literal("settle_conflict"), conflict: ref, take: z.enum(["kept", "lost"]) }),
  z.strictObject({ do: z.literal("take_back_shift"), session: hostSession }),
  z.strictObject({ do: z.literal("acknowledge_warning"), session: hostSession, signal: z.enum(signalNames) }),
  z.strictObject({ do: z.literal("undo"), entry: z.string().min(4).max(36) }),
  /** Restores files of a snapshot. `refs` also restores branches, tags and stashes; `force` overwrites later changes. */
  z.strictObject({
    do: z.literal("restore"),
    snapshot: z.string().regex(/^S\d{1,9}$/),
    paths: z.array(path).min(1).max(1000).optional(),
    refs: z.boolean().optional(),
    force: z.boolean().optional(),
  }),
])
export type QueuedCommand = z.infer<typeof queuedCommand>

/** A waiting command in the queue's file. The command itself is validated when it is applied. */
export const waitingLine = z.strictObject({
  id,
  at: time,
  /** The program that queued the command, such as `dashboard`. It becomes the agent of the log entry. */
  from: z.string().trim().min(1).max(100),
  command: z.unknown(),
})
export type WaitingCommand = z.infer<typeof waitingLine>

export const outcomeLine = z.discriminatedUnion("ok", [
  /** `entry`: the id of the log entry, or null if nothing had to be written. `note`: a message for the user. */
  z.strictObject({ done: id, at: time, ok: z.literal(true), entry: id.nullable(), note: note.optional() }),
  z.strictObject({ done: id, at: time, ok: z.literal(false), what: note, why: note, use_instead: note }),
])
export type CommandOutcome = z.infer<typeof outcomeLine>
