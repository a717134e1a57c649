import { readFileSync, writeFileSync } from "node:fs"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { RefusedCall } from "../../src/schemas/refusal.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/log-file.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import type { Store } from "../../src/store/store.ts"
import { updateSession } from "../../src/work/focus/update.ts"
import { startSession } from "../../src/work/session/session.ts"
import { memoryHive } from "../support/hive.ts"
import { aMem, anAnchor, aTask, by, uuid } from "../support/records.ts"
import { type Sandbox, useSandbox } from "./harness.ts"

export const SESSION = "ses_one"
export const MEM = uuid(10)

export interface Filled {
  task: string
  stamp: string
}

export const useFilledProject = (): Sandbox & Filled => useSandbox(({ project }) => fillProject(project))

/** A session "Add a login page" at plan Login → phase Build → task Build login, one more task, a mem, an anchor. */
export async function fillProject(dir: string): Promise<Filled> {
  return withStore(dir, async (store) => {
    const place = { home: dir, dir, usage: usageFile(hivePaths(dir)) }
    const hive = { ...memoryHive(), ...place, store, source: systemSource }
    const caller = { session: SESSION, agent: "build", tool: "hivemind_session.update" }
    const intent = { intent: "Add a login page" }
    const { stamp } = await startSession(hive, { ...caller, tool: "hivemind_session.start" }, intent)
    await updateSession(hive, caller, { level: "trajectory", content: "Login" })
    await updateSession(hive, caller, { level: "tactic", content: "Build" })
    const { task, phase } = await updateSession(hive, caller, { level: "action", content: "Build login" })
    if (task === null || phase === null) throw new Error("an action has a task and a phase")
    const above = { parent_plan_id: phase.parent_plan_id, parent_phase_id: phase.id }
    await store.write(by, (tx) => {
      tx.add("task", aTask(4, 0, 0, { ...above, title: "Write tests" }))
      tx.add("anchor", anAnchor(20))
    })
    await store.append({ ...by, tool: "hivemind_memory.save" }, (tx) =>
      tx.add("mem", aMem(10, { content: "Use jose", origin_task_id: task.id })),
    )
    return { task: task.id, stamp }
  })
}

export async function withStore<T>(dir: string, job: (store: Store) => Promise<T>): Promise<T> {
  const store = openFileStore(dir, { source: systemSource })
  try {
    return await job(store)
  } finally {
    await store.close()
  }
}

export const fold = (dir: string) => withStore(dir, (store) => store.fold())

export const addMem = (dir: string, n: number) =>
  withStore(dir, (store) => store.append(by, (tx) => tx.add("mem", aMem(n))))

export async function archiveMems(dir: string): Promise<void> {
  const store = openFileStore(dir, { source: systemSource, leaving: ({ mem }) => [...mem.values()] })
  await store.fold()
  await store.fold()
  await store.close()
}

export function editHive(dir: string, file: string, edit: (text: string) => string): void {
  const path = join(dir, ".hivemind", file)
  writeFileSync(path, edit(readFileSync(path, "utf8")))
}

export async function refuse(dir: string, ...calls: RefusedCall[]): Promise<void> {
  const file = refusalFile(hivePaths(dir))
  for (const each of calls) file.add(each)
  await file.idle()
}

export const ANSWER = {
  ...{ at: "2026-11-15T10:00:00.000Z", message: "msg_1", session: SESSION, parent: null, agent: "build" },
  ...{ model: "test/one", task: null, plan: null, delegation: null },
  ...{ input: 1200, cache_write: 0, cache_read: 30_000, output: 400, reasoning: 0, cost: 0.25 },
}

/** Every file with its bytes and times: equal before and after means that nothing was written. */
export async function everyFile(dir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mtimeMs } = await stat(path)
    files[path] = `${mtimeMs} ${entry.isFile() ? await readFile(path, "base64") : ""}`
  }
  return files
}
