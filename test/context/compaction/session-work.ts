import { writeReport } from "../../../src/context/compaction/researcher.ts"
import { recordTurningPoints } from "../../../src/context/turning-points/turning-points.ts"
import { sessionOf } from "../../../src/graph/read-head.ts"
import { type NewMem, saveMem } from "../../../src/knowledge/memory/save.ts"
import type { Task } from "../../../src/schemas/task.ts"
import { createPlan, planTasks } from "../../../src/work/plan/create.ts"
import { defined } from "../../support/defined.ts"
import { memoryHive } from "../../support/hive.ts"
import { aCheckpoint, by } from "../../support/records.ts"

export const SESSION = "ses_work"
export const caller = { session: SESSION, agent: "build", tool: "test" }

export function sessionAtWork(config: Parameters<typeof memoryHive>[0] = {}) {
  const hive = memoryHive(config)
  const state = () => hive.store.read().state
  return {
    hive,
    state,
    session: () => defined(sessionOf(state(), SESSION)),
    plan: async (title: string, phases: string[] = [], acceptance: string[] = []) =>
      (await createPlan(hive, caller, { title, acceptance, phases })).plan,
    task: async (plan: { id: string }, title: string, phase?: string) => {
      const [task] = await planTasks(hive, caller, plan.id, [{ title, expected_output: "it works", phase }])
      return defined(task)
    },
    mem: (content: string, more: Partial<NewMem> = {}) => saveMem(hive, caller, { content, ...more }),
    wrote: ({ id: task_id }: Task, path: string) => {
      const at = new Date(hive.source.now()).toISOString()
      const made = { id: hive.source.newId(), created_at: at, updated_at: at }
      const checkpoint = { task_id, session_id: SESSION, summary: `write ${path}`, files: [path], ...made }
      return hive.store.append(by, (tx) => tx.add("checkpoint", aCheckpoint(0, 0, checkpoint)))
    },
    set: (...change: Parameters<Parameters<Parameters<typeof hive.store.write>[1]>[0]["set"]>) =>
      hive.store.write({ ...by, session: SESSION }, (tx) => tx.set(...change)),
    async compact(): Promise<string | null> {
      await recordTurningPoints(hive, caller)
      await hive.store.append(by, (tx) => tx.recordCompaction(SESSION))
      return writeReport(hive, caller)
    },
  }
}
