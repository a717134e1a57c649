import { cpSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { recordsOf } from "../../src/graph/state.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { kinds } from "../../src/schemas/records.ts"
import { hiveIn } from "./file-hive.ts"
import { T0 } from "./records.ts"
import { tempProject } from "./temp-project.ts"

export { hiveIn }

const FIXTURES = fileURLToPath(new URL("../fixtures/legacy/", import.meta.url))

/** Copies the files of an older layout into a folder; the fixtures have its folders without the dot. */
export function copyOldLayout(layout: string, project: string): void {
  for (const name of readdirSync(join(FIXTURES, layout)))
    cpSync(join(FIXTURES, layout, name), join(project, `.${name}`), { recursive: true })
  // What has no time of its own gets that of its file.
  for (const name of readdirSync(project, { recursive: true, encoding: "utf8" }))
    utimesSync(join(project, name), T0 / 1000, T0 / 1000)
}

/** A project as an older tool has left it, with a hive that has nothing yet. */
export async function oldProject(...layouts: string[]): Promise<Hive> {
  const dir = await tempProject()
  for (const layout of layouts) copyOldLayout(layout, dir)
  return hiveIn(dir)
}

/** How many records of each kind there are. */
export function countsOf({ store }: Hive): Record<string, number> {
  const { state } = store.read()
  const all = kinds.map((kind): [string, number] => [kind, recordsOf(state, kind).size])
  return Object.fromEntries(all.filter(([, size]) => size > 0))
}
