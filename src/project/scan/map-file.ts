import * as z from "zod"
import { tryParse } from "../../schemas/checked.ts"
import { type CommandPurpose, deadReference, documentEntry, projectMap } from "../../schemas/project-map.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { projectFile } from "../../store/files/project-file.ts"
import type { KnownFile, ScanState } from "./scan-project.ts"

/** Stores the last scan: a line with the map, then one per document, dead reference and known file. */
export function mapFile(place: { home: string; dir: string }) {
  const file = projectFile(hivePaths(place.home), "map", place)
  return {
    version: file.version,
    /** Reads the last scan; undefined if the file is missing or damaged, so that everything is scanned again. */
    async read(): Promise<ScanState | undefined> {
      const lines = await file.read()
      return lines === undefined ? undefined : runInSlices(toState(lines))
    },
    write: (state: ScanState) => file.write(toLines(state)),
  }
}

function* toLines({ map: { documents, dead_references, ...map }, files }: ScanState): Iterable<object> {
  yield { map, lines: documents.length + dead_references.length + files.size }
  for (const document of documents) yield { document }
  for (const dead of dead_references) yield { dead }
  for (const [path, known] of files) yield { path, known }
}

function* toState([first, ...rest]: unknown[]): Pausing<ScanState | undefined> {
  const head = tryParse(headLine, first).data
  // The first line says how many lines follow. If fewer do, the file was cut off.
  if (head === undefined || head.lines !== rest.length) return undefined
  const map: ScanState["map"] = { ...head.map, documents: [], dead_references: [] }
  const files = new Map<string, KnownFile>()
  for (const each of rest) {
    yield
    const line = tryParse(otherLine, each).data
    if (line === undefined) return undefined
    if ("document" in line) map.documents.push(line.document)
    else if ("dead" in line) map.dead_references.push(line.dead)
    else files.set(line.path, line.known)
  }
  return { map, files }
}

const headLine = z.object({
  map: projectMap.omit({ documents: true, dead_references: true }),
  lines: z.number(),
})
const knownFile = z.object({
  signature: z.string(),
  hash: z.string().nullable(),
  lines: z.number().nullable(),
  document: z
    .custom<NonNullable<KnownFile["document"]>>((value) => Array.isArray(Object(value).links))
    .optional(),
})
const otherLine = z.union([
  z.object({ path: z.string(), known: knownFile }),
  z.object({ document: documentEntry }),
  z.object({ dead: deadReference }),
])

/** The commands of the last scan that check the project, such as `mise run ci`. Empty without a scan. */
export async function declaredChecks(place: { home: string; dir: string }): Promise<readonly string[]> {
  const file = mapFile(place)
  const version = file.version()
  if (version === "") return []
  const known = checksByFolder.get(place.dir)
  if (known?.version === version) return known.commands
  const { map } = (await file.read()) ?? {}
  const checks = map?.commands.filter(({ purpose }) => checkPurposes.has(purpose)) ?? []
  const commands = [...new Set(checks.map(({ command }) => command))]
  checksByFolder.set(place.dir, { version, commands })
  return commands
}

/** Purposes of commands that check the project: they fail if its code is wrong. */
export const checkPurposes = new Set<CommandPurpose>(["test", "lint", "typecheck", "check", "build"])
const checksByFolder = new Map<string, { version: string; commands: readonly string[] }>()
