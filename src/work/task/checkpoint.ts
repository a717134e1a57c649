import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { fileStatusLookup } from "../../project/document/file-status.ts"
import { isMarkdown } from "../../project/document/sections.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { existsIn } from "./evidence.ts"

/** The result of a tool call for a task. */
export interface ToolOutcome {
  tool: string
  summary: string
  /** The files that it has really changed. */
  files: readonly string[]
  command: string | null
  /** The known checks of the command. */
  did?: Checkpoint["did"]
  /** A run of the task's own check. */
  run?: Checkpoint["run"]
  ok: boolean
}

/**
 * Records the outcome of a tool call for a task, and the files it wrote: one checkpoint, or several where there are very many
 * files. Needs no lock, so no turn waits for another process.
 */
export async function recordCheckpoint(
  hive: Hive,
  caller: Caller,
  task: Task,
  outcome: ToolOutcome,
): Promise<void> {
  const kept = outcome.files.slice(0, MAX_FILES)
  const leftOut = outcome.files.length - kept.length
  const summary = leftOut === 0 ? outcome.summary : `${outcome.summary} (and ${leftOut} files more)`
  for (let at = 0; at === 0 || at < kept.length; at += FILES_AT_ONCE)
    await recordOne(hive, caller, task, { ...outcome, summary, files: kept.slice(at, at + FILES_AT_ONCE) })
}

async function recordOne(hive: Hive, caller: Caller, task: Task, outcome: ToolOutcome): Promise<void> {
  const { tool, summary, files, command, did = [], run = null, ok } = outcome
  const at = new Date(hive.source.now()).toISOString()
  const made = { created_at: at, updated_at: at, stamp: task.stamp }
  const { removed, artifacts } = await runInSlices(filesOnDisk(hive.dir, task, files, made))
  await hive.store.append(authorOf(caller), (tx) => {
    tx.add("checkpoint", {
      id: hive.source.newId(),
      task_id: task.id,
      session_id: caller.session,
      summary: shorten(summary, MAX_SUMMARY),
      files: [...files],
      ...{ tool, removed, command, did, run, ok },
      ...made,
    })
    for (const artifact of artifacts)
      if (tx.get("artifact", artifact.id) === undefined) tx.add("artifact", artifact)
  })
}

/** One artifact per task and path, with an id derived from both: every process makes the same record. */
function* filesOnDisk(
  dir: string,
  task: Task,
  files: readonly string[],
  made: Pick<Artifact, "created_at" | "updated_at" | "stamp">,
): Pausing<{ removed: string[]; artifacts: Artifact[] }> {
  const look = fileStatusLookup(dir)
  const removed: string[] = []
  const artifacts: Artifact[] = []
  for (const path of files) {
    // A changed file that does not exist afterwards was deleted or moved by the call.
    if (!existsIn(dir, path)) removed.push(path)
    // The content of documents is recorded, but not that of code.
    const { hash, sections } = (isMarkdown(path) ? look(path) : null) ?? { hash: null, sections: [] }
    artifacts.push({
      id: derivedId("artifact", task.id, path),
      path,
      task_id: task.id,
      plan_id: task.parent_plan_id,
      hash,
      sections,
      status: "current",
      superseded_by: null,
      ...made,
    })
    yield
  }
  return { removed, artifacts }
}

const MAX_SUMMARY = 200
const FILES_AT_ONCE = 500
// A checkout of another branch may change any number of files; the summary says how many are not named.
const MAX_FILES = 2000
