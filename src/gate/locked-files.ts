import type { GraphState } from "../graph/state.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { heldLocks, lockHolder } from "../work/task/file-locks.ts"
import type { GateCall } from "./call.ts"
import { UNKNOWN_PATH } from "./shell/paths.ts"

/** Files that another task under way has locked. */
export function refuseLocked(
  { tool, writes }: GateCall,
  state: GraphState,
  task: Task | undefined,
  dir: string | undefined,
): void {
  for (const path of writes) {
    if (path === UNKNOWN_PATH) continue
    const holder = lockHolder(
      heldLocks((index, key) => state.task.by(index, key), state),
      path,
      task?.id,
      dir,
    )
    if (holder === undefined) continue
    throw new HiveError({
      code: "conflict",
      what: `${tool} may not write ${path}.`,
      why: `"${holder.title}" has locked it while it is under way.`,
      use_instead: `Work on something else, or wait until ${shortId(holder.id)} is done.`,
      evidence: `task ${holder.id}: file_locks`,
    })
  }
}
