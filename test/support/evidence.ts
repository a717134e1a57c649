import type { Hive } from "../../src/hive/hive.ts"
import { derivedId } from "../../src/shared/ids.ts"
import { aCheckpoint, by } from "./records.ts"

/** Every task under way has left something behind, a build that went well: it may be completed. */
export async function leaveEvidence(hive: Pick<Hive, "store">): Promise<void> {
  const active = [...hive.store.read().state.task.by("status", "active")]
  await hive.store.append(by, (tx) => {
    for (const { id, created_at, updated_at } of active) {
      const checkpoint = derivedId("evidence", id)
      if (tx.get("checkpoint", checkpoint) !== undefined) continue
      const more = {
        id: checkpoint,
        task_id: id,
        created_at,
        updated_at,
        command: "npm run build",
        did: ["build" as const],
      }
      tx.add("checkpoint", aCheckpoint(0, 0, { ...more, tool: "bash", summary: "build", files: [] }))
    }
  })
}
