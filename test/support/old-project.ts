import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type GraphState, recordsOf } from "../../src/graph/state.ts"
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

export async function oldProject(...layouts: string[]): Promise<Hive> {
  const dir = await tempProject()
  for (const layout of layouts) copyOldLayout(layout, dir)
  return hiveIn(dir)
}

export function everythingIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  const contentOf = (path: string) => (statSync(path).isFile() ? readFileSync(path, "latin1") : "")
  return Object.fromEntries(names.map((name) => [name, contentOf(join(folder, name))]))
}

/** All records as texts, kind by kind, for comparisons that do not depend on their order. */
export function recordTexts(state: GraphState, isCompared = (_field: string) => true): string[] {
  const textOf = (record: object) =>
    JSON.stringify(
      Object.entries(record)
        .filter(([field]) => isCompared(field))
        .sort(),
    )
  return kinds.flatMap((kind) => [...recordsOf(state, kind).values()].map(textOf).sort())
}

export function countsOf({ store }: Hive): Record<string, number> {
  const { state } = store.read()
  const all = kinds.map((kind): [string, number] => [kind, recordsOf(state, kind).size])
  return Object.fromEntries(all.filter(([, size]) => size > 0))
}
