import { currentTask } from "../../graph/current-task.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { fileStatusLookup } from "../../project/document/file-status.ts"
import { isMarkdown } from "../../project/document/sections.ts"
import type { Artifact } from "../../schemas/knowledge.ts"
import type { Checkpoint, Task } from "../../schemas/task.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { COMMAND, COMMANDS, type SessionCaller } from "../write.ts"
import { existsIn } from "./evidence.ts"

export interface ToolOutcome {
  tool: string
  summary: string
  files: readonly string[]
  command: string | null
  did?: Checkpoint["did"]
  run?: Checkpoint["run"]
  ok: boolean
}

/** Records a call's outcome for a task, in several checkpoints if there are very many files. Takes no lock. */
export async function recordCheckpoint(hive: Hive, caller: Caller, task: Task, outcome: ToolOutcome) {
  const kept = outcome.files.slice(0, 2000)
  const leftOut = outcome.files.length - kept.length
  const summary = leftOut === 0 ? outcome.summary : `${outcome.summary} (and ${leftOut} files more)`
  for (let at = 0; at === 0 || at < kept.length; at += FILES_AT_ONCE)
    await recordOne(hive, caller, task, { ...outcome, summary, files: kept.slice(at, at + FILES_AT_ONCE) })
}

async function recordOne(hive: Hive, caller: Caller, task: Task, outcome: ToolOutcome): Promise<void> {
  const made = madeAt(hive.source, task)
  const { removed, artifacts } = await runInSlices(filesOnDisk(hive.dir, task, outcome.files, made))
  await hive.store.append(authorOf(caller), (tx) => {
    addCheckpoint(tx, hive.source, caller, task, outcome, { removed, made })
    for (const artifact of artifacts)
      if (tx.get("artifact", artifact.id) === undefined) tx.add("artifact", artifact)
  })
}

function addCheckpoint(
  tx: Transaction,
  source: Source,
  { session }: Caller,
  task: Task,
  outcome: ToolOutcome,
  { removed = [] as string[], made = madeAt(source, task) } = {},
): void {
  const { tool, summary, files, command, did = [], run = null, ok } = outcome
  tx.add("checkpoint", {
    id: source.newId(),
    task_id: task.id,
    session_id: session,
    summary: shorten(summary, 200),
    files: [...files],
    ...{ tool, removed, command, did, run, ok },
    ...made,
  })
}

function madeAt(source: Source, { stamp }: Task) {
  const at = new Date(source.now()).toISOString()
  return { created_at: at, updated_at: at, stamp }
}

/** Counts a slash command, and records it as a checkpoint of the current task. */
export async function recordCommand(
  { store, source }: Hive,
  caller: SessionCaller,
  name: string,
  words: string,
): Promise<void> {
  const task = currentTask(store.read().state, caller.session)
  await store.append(authorOf(caller), (tx) => {
    tx.count(caller.session, COMMANDS)
    const outcome = { tool: COMMAND, summary: `/${name} ${words}`, files: [], command: null, ok: true }
    if (task !== undefined) addCheckpoint(tx, source, caller, task, outcome)
  })
}

/** One artifact per task and path, with an id derived from both: every process makes the same record. */
function* filesOnDisk(dir: string, task: Task, files: readonly string[], made: ReturnType<typeof madeAt>) {
  const look = fileStatusLookup(dir)
  const removed: string[] = []
  const artifacts: Artifact[] = []
  for (const path of files) {
    // A changed file that does not exist afterwards was deleted or moved by the call.
    if (!existsIn(dir, path)) removed.push(path)
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

const FILES_AT_ONCE = 500
