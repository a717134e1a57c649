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

export function partFile(project: string, section: string): string {
  const [only, ...more] = partFiles(project, section)
  if (only === undefined || more.length > 0) throw new Error(`${more.length + 1} files with ${section}`)
  return only
}

export function lineOf(text: string, id: string): string {
  const line = text.split("\n").find((each) => each.includes(`"id":"${id}"`))
  if (line === undefined) throw new Error(`no line has the id ${id}`)
  return `${line}\n`
}

type Edit = (text: string) => string

/** Changes a part and its manifest, as a program could, without an entry in the log. */
export async function changeUnlogged(project: string, section: string, edit: Edit): Promise<void> {
  await changeFileUnlogged(project, partFile(project, section), edit)
}

export async function changeFileUnlogged(project: string, file: string, edit: Edit): Promise<void> {
  const { root, graph } = hivePaths(project)
  const edited = edit(readFileSync(join(root, file), "utf8"))
  writeFileSync(join(root, file), edited)
  const { manifest } = newestManifest(graph)
  removeManifest(graph, manifest.number)
  const sum = checksum(edited)
  const parts = manifest.parts.map((part) => (file.endsWith(part.file) ? { ...part, sum } : part))
  await commitManifest(graph, { ...manifest, parts })
}
