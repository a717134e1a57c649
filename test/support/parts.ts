import { hivePaths } from "../../src/store/files/layout.ts"
import { newestManifest } from "../../src/store/snapshot/manifest.ts"

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
