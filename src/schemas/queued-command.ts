import * as z from "zod"
import { hostSession, id, line, path, ref, time } from "./fields.ts"
import { mem } from "./knowledge.ts"
import { signalNames } from "./signals.ts"
import { task } from "./task.ts"

const { content, kind, shelf, tags, evidence } = mem.shape
const { title, expected_output, verify } = task.shape

/** A command that a person gives from outside the host: one transaction. Ids may be shortened. */
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
  /** `content` is the decision. */
  z.strictObject({ do: z.literal("resolve_decision"), decision: ref, content }),
  z
    .strictObject({
      do: z.literal("edit_task"),
      task: ref,
      title: title.optional(),
      expected_output: expected_output.optional(),
      /** null: no check any more. */
      verify: verify.optional(),
    })
    .refine((given) => Object.keys(given).length > 2, "nothing to change was given"),
  z.strictObject({ do: z.literal("block_task"), task: ref, reason: line }),
  z.strictObject({ do: z.literal("unblock_task"), task: ref }),
  /** From the session that holds it. */
  z.strictObject({ do: z.literal("take_task"), task: ref }),
  /** Among the tasks beside it: before one of them, or (null) to their end. */
  z.strictObject({ do: z.literal("move_task"), task: ref, before: ref.nullable() }),
  z.strictObject({ do: z.literal("settle_conflict"), conflict: ref, take: z.enum(["kept", "lost"]) }),
  z.strictObject({ do: z.literal("take_back_shift"), session: hostSession }),
  z.strictObject({
    do: z.literal("acknowledge_warning"),
    session: hostSession,
    signal: z.enum(signalNames),
  }),
  z.strictObject({ do: z.literal("undo"), entry: z.string().min(4).max(36) }),
  /** The files of a snapshot such as S41. `refs` also brings branches, tags and stashes back; `force` overwrites. */
  z.strictObject({
    do: z.literal("restore"),
    snapshot: z.string().regex(/^S\d{1,9}$/),
    paths: z.array(path).min(1).max(1000).optional(),
    refs: z.boolean().optional(),
    force: z.boolean().optional(),
  }),
])
export type QueuedCommand = z.infer<typeof queuedCommand>

/** A line of the queue that asks for something. What the command holds is checked when it is applied. */
export const waitingLine = z.strictObject({
  id,
  at: time,
  /** Who asks, such as `dashboard`: the agent of the entry that it becomes. */
  from: z.string().trim().min(1).max(100),
  command: z.unknown(),
})
export type WaitingCommand = z.infer<typeof waitingLine>

/** A line of the queue that says what became of a command. */
export const outcomeLine = z.discriminatedUnion("ok", [
  /** `entry` is that of the log; null where nothing had to be written there. `note` is for the person who asked. */
  z.strictObject({
    ...{ done: id, at: time, ok: z.literal(true), entry: id.nullable() },
    note: z.string().max(2000).optional(),
  }),
  z.strictObject({
    done: id,
    at: time,
    ok: z.literal(false),
    what: z.string().max(2000),
    why: z.string().max(2000),
    use_instead: z.string().max(2000),
  }),
])
export type CommandOutcome = z.infer<typeof outcomeLine>
