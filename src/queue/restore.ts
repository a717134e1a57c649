import type { Caller, Hive } from "../hive/hive.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { numberOfId, snapshotId } from "../snapshots/records.ts"
import { planRestore, requireAll, restoreInHive, snapshotsHolding } from "../work/restore/restore.ts"
import type { RestorePlan } from "../work/restore/restore-snapshot.ts"

interface Wanted {
  snapshot: string
  paths?: string[] | undefined
  refs?: boolean | undefined
  force?: boolean | undefined
}

/** Restores for a person; returns what to tell them. Done twice it does the same as done once. */
export async function restoreForPerson(
  hive: Hive,
  caller: Caller,
  { snapshot, paths, refs = false, force = false }: Wanted,
): Promise<string> {
  const snapshots = snapshotsHolding(hive, numberOfId(snapshot))
  const plan = await planRestore(snapshots, snapshot, { paths: paths ?? null, refs })
  const restored = await restoreInHive(hive, caller, plan, { force, snapshots })
  requireAll(restored)
  if (restored.undo === null) throw nothingToDo(plan, force)
  const kept = force ? 0 : plan.files.conflicts.length
  return [
    `${counted(restored.written.length, "file")} restored.`,
    ...(kept > 0 ? [`${counted(kept, "file")} that changed since kept.`] : []),
    `${snapshotId(restored.undo)} undoes it.`,
  ].join(" ")
}

function nothingToDo({ record, files }: RestorePlan, force: boolean): HiveError {
  const [conflict] = force ? [] : files.conflicts
  return new HiveError({
    code: "conflict",
    what: "Nothing was restored.",
    why:
      conflict === undefined
        ? "What the call had changed is as it was before."
        : `${conflict.path}: ${conflict.why}.`,
    use_instead:
      conflict === undefined ? "Nothing has to be done." : "Choose to overwrite what has changed since.",
    evidence: snapshotId(record),
  })
}
