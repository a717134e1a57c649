import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { fileLook } from "../../project/document/file-look.ts"
import { isMarkdown } from "../../project/document/sections.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
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
  /** Left out where it is nothing of that. */
  did?: Checkpoint["did"]
  /** Left out where it was no run of the task's own check. */
  run?: Checkpoint["run"]
  ok: boolean
}

/**
 * Records what a tool call did for a task, and the files it wrote: one checkpoint, or several where there are very many
 * files. Needs no lock, so no turn waits for another process.
 */
export async function recordCheckpoint(
  hive: Hive,
  caller: Caller,
  task: Task,
  outcome: ToolOutcome,
): Promise<void> {
  const { files } = outcome
  const kept = files.slice(0, MAX_FILES)
  const leftOut = files.length - kept.length
  const summary = leftOut === 0 ? outcome.summary : `${outcome.summary} (and ${leftOut} files more)`
  for (let at = 0; at === 0 || at < kept.length; at += FILES_AT_ONCE)
    await recordOne(hive, caller, task, { ...outcome, summary, files: kept.slice(at, at + FILES_AT_ONCE) })
}

async function recordOne(hive: Hive, caller: Caller, task: Task, outcome: ToolOutcome): Promise<void> {
  const at = new Date(hive.source.now()).toISOString()
  const made = { created_at: at, updated_at: at, stamp: task.stamp }
  const { removed, artifacts } = await runInSlices(lookAtFiles(hive.dir, task, outcome.files, made))
  const checkpoint: NewRecordOf<"checkpoint"> = {
    id: hive.source.newId(),
    task_id: task.id,
    session_id: caller.session,
    tool: outcome.tool,
    summary: shorten(outcome.summary, MAX_SUMMARY),
    files: [...outcome.files],
    removed,
    command: outcome.command,
    did: outcome.did ?? [],
    run: outcome.run ?? null,
    ok: outcome.ok,
    ...made,
  }
  await hive.store.append(authorOf(caller), (tx) => {
    tx.add("checkpoint", checkpoint)
    for (const artifact of artifacts)
      if (tx.get("artifact", artifact.id) === undefined) tx.add("artifact", artifact)
  })
}

function* lookAtFiles(
  dir: string,
  task: Task,
  files: readonly string[],
  made: Made,
): Pausing<{ removed: string[]; artifacts: Artifact[] }> {
  const look = fileLook(dir)
  const removed: string[] = []
  const artifacts: Artifact[] = []
  for (const path of files) {
    // A changed file that does not exist afterwards was deleted or moved by the call.
    if (!existsIn(dir, path)) removed.push(path)
    const document = isMarkdown(path) ? look(path) : null
    artifacts.push(artifactOf(task, path, made, document ?? NO_STATE))
    yield
  }
  return { removed, artifacts }
}

interface Made {
  created_at: string
  updated_at: string
  stamp: string
}

/** One per task and path, with an id derived from both: every process makes the same record. */
function artifactOf(
  task: Task,
  path: string,
  made: Made,
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
const FILES_AT_ONCE = 500
// A checkout of another branch may change any number of files; the summary says how many are not named.
const MAX_FILES = 2000
// Only for documents is the content recorded.
const NO_STATE = { hash: null, sections: [] }
