import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import type { Config } from "../../src/schemas/config.ts"
import type { Session } from "../../src/schemas/session.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { exportOnIdle } from "../../src/views/export/export-session.ts"
import { callTool } from "../tools/call-tool.ts"
import { memoryHive } from "./hive.ts"
import { aCheckpoint } from "./records.ts"
import { tempProject } from "./temp-project.ts"

export const SESSION = "ses_1"

/** A hive in memory with a real folder, and a session "Add login" at plan Auth → task "Write the form". */
export async function hiveAtWork(config: Partial<Config> = {}) {
  const dir = await tempProject()
  const hive = { ...memoryHive(config), home: dir, dir }
  return { hive, paths: hivePaths(hive.dir), ...(await beginWork(hive)) }
}

/** A hive as another process opens it. */
export async function openProcess(dir: string, value: object = {}, source = systemSource): Promise<Hive> {
  return (await openHiveIn(dir, { source, userConfig: null, options: { name: "test", value } })).hive
}

export async function beginWork(hive: Hive): Promise<{ task: string; session: Session }> {
  await callTool(hive, "session start", { intent: "Add login" })
  await callTool(hive, "session update", { level: "trajectory", content: "Auth" })
  const { task_id } = await callTool(hive, "session update", { level: "action", content: "Write the form" })
  const [session] = hive.store.read().state.session.values()
  if (session === undefined) throw new Error("the session was started")
  return { task: task_id, session }
}

export async function touch(hive: Hive, task_id: string, path: string, session = SESSION): Promise<void> {
  const at = new Date(hive.source.now()).toISOString()
  const made = { id: hive.source.newId(), task_id, session_id: session, created_at: at, updated_at: at }
  await hive.store.append({ tool: "write", session, agent: null }, (tx) =>
    tx.add("checkpoint", aCheckpoint(0, 0, { ...made, files: [path] })),
  )
}

export function idle(hive: Hive, words = "") {
  return exportOnIdle(hive, { session: SESSION, agent: null, tool: "test" }, async () => words)
}

export function exportsIn(dir: string): Record<string, unknown> {
  const folder = hivePaths(dir).exports
  const names = readdirSync(folder).sort()
  return Object.fromEntries(names.map((name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]))
}
