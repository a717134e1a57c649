import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { fileLook } from "../../project/document/file-look.ts"
import { isMarkdown } from "../../project/document/sections.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { existsIn } from "./evidence.ts"

/** What a tool call did for a task. */
export interface ToolOutcome {
  tool: string
  summary: string
  files: readonly string[]
  command: string | null
  /** Left out where it is nothing of that. */
  did?: Checkpoint["did"]
  ok: boolean
}

/**
 * Records what a tool call did for a task, and the files it wrote. Needs no lock, so no turn waits for another process.
 */
export async function recordCheckpoint(
  hive: Hive,
  caller: Caller,
  task: Task,
  outcome: ToolOutcome,
): Promise<Checkpoint> {
  const at = new Date(hive.source.now()).toISOString()
  const made = { created_at: at, updated_at: at, stamp: task.stamp }
  const checkpoint: NewRecordOf<"checkpoint"> = {
    id: hive.source.newId(),
    task_id: task.id,
    session_id: caller.session,
    tool: outcome.tool,
    summary: shorten(outcome.summary, MAX_SUMMARY),
    files: [...outcome.files],
    // What a call has written and is not there afterwards, the call has deleted or moved.
    removed: outcome.ok ? outcome.files.filter((path) => !existsIn(hive.dir, path)) : [],
    command: outcome.command,
    did: outcome.did ?? [],
    ok: outcome.ok,
    ...made,
  }
  const look = fileLook(hive.dir)
  const artifacts = outcome.files.map((path) => {
    const document = isMarkdown(path) ? look(path) : null
    return artifactOf(task, path, made, document ?? NO_STATE)
  })
  const { result } = await hive.store.append(authorOf(caller), (tx) => {
    const added = tx.add("checkpoint", checkpoint)
    for (const artifact of outcome.ok ? artifacts : [])
      if (tx.get("artifact", artifact.id) === undefined) tx.add("artifact", artifact)
    return added
  })
  return result
}

/** One per task and path, with an id derived from both: every process makes the same record. */
function artifactOf(
  task: Task,
  path: string,
  made: { created_at: string; updated_at: string; stamp: string },
  { hash, sections }: Pick<Artifact, "hash" | "sections">,
): Artifact {
  return {
    id: derivedId("artifact", task.id, path),
    path,
    task_id: task.id,
    plan_id: task.parent_plan_id,
    hash,
    sections,
    status: "current",
    superseded_by: null,
    ...made,
  }
}

const MAX_SUMMARY = 200
// Only for documents is the content recorded.
const NO_STATE = { hash: null, sections: [] }
