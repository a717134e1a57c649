import { cpSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../../../src/hive/hive.ts"
import { importFrom } from "../../../src/migrate/import/import.ts"
import { type ImportTool, locateSource } from "../../../src/migrate/import/locate.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import type { Plan } from "../../../src/schemas/plan.ts"
import type { Task } from "../../../src/schemas/task.ts"
import { fileHive } from "../../support/file-hive.ts"

export const FIXTURES = join(import.meta.dirname, "../../fixtures/import")

export async function projectOf(tool: ImportTool): Promise<Hive> {
  const hive = await fileHive()
  cpSync(join(FIXTURES, tool), hive.dir, { recursive: true })
  return hive
}

export function sourceOf(hive: Hive, tool: ImportTool, given?: string): string {
  const where = { dir: hive.dir, project: hive.dir, home: hive.dir, memoryFile: undefined }
  return locateSource(tool, given, where)
}

export async function imported(tool: ImportTool) {
  const hive = await projectOf(tool)
  const report = await importFrom(hive, tool, sourceOf(hive, tool))
  return { hive, report }
}

export const tasksOf = ({ store }: Hive): Task[] => [...store.read().state.task.values()]
export const memsOf = ({ store }: Hive): Mem[] => [...store.read().state.mem.values()]
export const plansOf = ({ store }: Hive): Plan[] => [...store.read().state.plan.values()]

export function taskNamed(hive: Hive, title: string): Task {
  const task = tasksOf(hive).find((each) => bare(each.title) === title)
  if (task === undefined) throw new Error(`no task "${title}"`)
  return task
}

export function sortedTitles(records: Iterable<{ title: string }>): string[] {
  return [...records].map(({ title }) => title).sort()
}

export function titlesOf(hive: Hive, ids: readonly string[]): string[] {
  return ids.map((id) => bare(hive.store.read().state.task.get(id)?.title ?? id))
}

export const bare = (title: string): string => title.replace(/ \([^()]+\)$/, "")
