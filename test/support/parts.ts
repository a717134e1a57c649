import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hivePaths } from "../../src/store/files/layout.ts"
import {
  checksum,
  commitManifest,
  newestManifest,
  removeManifest,
} from "../../src/store/snapshot/manifest.ts"

/** The files in force that hold records of that name ("mems", "tasks"…), relative to `.hivemind/`. */
export function partFiles(project: string, section: string): string[] {
  const { parts } = newestManifest(hivePaths(project).graph).manifest
  return parts.filter(({ file }) => file.startsWith(`${section}.`)).map(({ file }) => `graph/parts/${file}`)
}

/** The only one of them. */
export function partFile(project: string, section: string): string {
  const [only, ...more] = partFiles(project, section)
  if (only === undefined || more.length > 0) throw new Error(`${more.length + 1} files with ${section}`)
  return only
}

/** The line of a record in a file of the graph, with its end. */
export function lineOf(text: string, id: string): string {
  const line = text.split("\n").find((each) => each.includes(`"id":"${id}"`))
  if (line === undefined) throw new Error(`no line has the id ${id}`)
  return `${line}\n`
}

/** Changes a part so that its manifest still fits: as if a program had done it, and no entry of the log tells of it. */
export async function changeUnlogged(
  project: string,
  section: string,
  edit: (text: string) => string,
): Promise<void> {
  await changeFileUnlogged(project, partFile(project, section), edit)
}

/** The same for a file, relative to `.hivemind/`. */
export async function changeFileUnlogged(
  project: string,
  file: string,
  edit: (text: string) => string,
): Promise<void> {
  const { root, graph } = hivePaths(project)
  const edited = edit(readFileSync(join(root, file), "utf8"))
  writeFileSync(join(root, file), edited)
  const { manifest } = newestManifest(graph)
  removeManifest(graph, manifest.number)
  const parts = manifest.parts.map((part) =>
    file.endsWith(part.file) ? { ...part, sum: checksum(edited) } : part,
  )
  await commitManifest(graph, { ...manifest, parts })
}
