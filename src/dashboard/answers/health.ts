import { join } from "node:path"
import { compare } from "../../graph/by-age.ts"
import { describeConflict, isOpenConflict, openConflicts } from "../../graph/open-conflicts.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { isGitInstalled } from "../../project/git/run-git.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import { shortId } from "../../shared/ids.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import { listTree, readdirSync, statSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { describeSyncState, syncState } from "../../sync/state.ts"
import { pageOf } from "../../views/lists/page.ts"
import { listQueue, type QueueRow } from "../../views/lists/queue.ts"
import { refusalsOf } from "../../views/lists/refusals.ts"
import { fileProblems, listBrokenCopies } from "../../views/problems.ts"

export async function healthAnswer(hive: Hive) {
  // Errors are ignored here: `hivemind doctor` reports them.
  const sync = await syncState(hive.store, hive.dir).catch(() => null)
  const { problems, unlisted, unfolded } = hive.store.health()
  const { state } = hive.store.read()
  return {
    problems: fileProblems(hive.home, problems).map(({ kind, id, reason, level, file, mend }) => ({
      what: kind === null || id === null ? reason : `${kind} ${shortId(id)}: ${reason}`,
      ...{ level, file, mend },
    })),
    ...{ unlisted, unfolded },
    setAside: listBrokenCopies(hive.home),
    conflicts: openConflicts(state).map((conflict) => conflictRow(conflict, state)),
    settled: [...state.conflict.values()]
      .filter((conflict) => !isOpenConflict(conflict, state))
      .sort((a, b) => compare(b.created_at, a.created_at))
      .slice(0, MAX_SETTLED)
      .map((conflict) => conflictRow(conflict, state)),
    sizes: folderSizes(hivePaths(hive.home).root),
    sync: sync === null ? null : describeSyncState(sync),
    snapshots: await snapshotHealth(hive),
    asked: openChanges(hive),
    refusals: pageOf(refusalsOf(hive, {}), { limit: MAX_REFUSALS, page: 1 }),
  }
}

function conflictRow(conflict: Conflict, state: GraphState) {
  const { id, created_at: at, kept, lost } = conflict
  return { id, at, kept_by: kept.writer, lost_by: lost.writer, ...describeConflict(conflict, state) }
}

async function snapshotHealth(hive: Hive) {
  const { enabled: isOn, keep_days: keepDays, max_mb: maxMb } = hive.config.snapshots
  const { snapshots: count, bytes, oldest } = await hiveSnapshots(hive).size()
  return { isOn, canTake: await isGitInstalled(), count, bytes, oldest, keepDays, maxMb }
}

function folderSizes(root: string) {
  return readdirSync(root)
    .filter((name) => statSync(join(root, name)).isDirectory())
    .map((name) => {
      const sizes = listTree(join(root, name)).map(
        ({ path }) => statSync(path, { throwIfNoEntry: false })?.size,
      )
      return { name, bytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) }
    })
}

/** Queued commands that wait or were refused. The timeline has the applied ones. */
function openChanges(hive: Hive) {
  const names = recordNames(hive.store.read().state)
  const rows = (state: QueueRow["state"]) => listQueue(hive, { state }, { limit: MAX_CHANGES, page: 1 }).items
  return [...rows("waiting"), ...rows("refused")].map(({ id, at, from, command, state, refusal }) => ({
    ...{ id, at, from, refusal, isWaiting: state === "waiting" },
    text: commandText(command, (each) => names.nameOfAny(each)),
  }))
}

/** A text such as `Block task: task "Build login"`. Any program can write into the queue, so a field may be missing. */
function commandText(command: unknown, nameOf: (id: string) => string | undefined): string {
  if (typeof command !== "object" || command === null) return "Not a valid command"
  const fields: Readonly<Record<string, unknown>> = { ...command }
  const what = String(fields["do"] ?? "").replaceAll("_", " ")
  const about = SUBJECT_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string")
  const text = about === undefined ? what : `${what}: ${nameOf(about) ?? about}`
  return (text.charAt(0).toUpperCase() + text.slice(1)).slice(0, MAX_TEXT)
}

const SUBJECT_FIELDS = [
  ...["task", "mem", "decision", "conflict", "supersedes"],
  ...["entry", "file", "snapshot", "session", "content"],
]
const MAX_REFUSALS = 200
const MAX_SETTLED = 50
const MAX_CHANGES = 20
const MAX_TEXT = 300
