import type * as z from "zod"
import {
  type DeadReference,
  type DocumentEntry,
  deadReference,
  documentEntry,
  type ProjectMap,
  projectMap,
} from "../../schemas/project-map.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { projectFile } from "../../store/files/project-file.ts"
import type { KnownFile } from "./look-at-file.ts"
import type { ScanState } from "./scan-project.ts"

/** The last scan as a file: the map first, then its documents and dead references, then what is known of each file. */
export function mapFile(place: { home: string; dir: string }) {
  const file = projectFile(hivePaths(place.home), "map", place)
  return {
    version: file.version,
    /** Undefined where there is none, or not a whole one: then everything is scanned anew. */
    async read(): Promise<ScanState | undefined> {
      const lines = await file.read()
      return lines === undefined ? undefined : runInSlices(toState(lines))
    },
    /** False where the project has no hive to keep it in. */
    write: (state: ScanState) => file.write(toLines(state)),
  }
}

const head = projectMap.omit({ documents: true, dead_references: true })

interface Head {
  map: z.infer<typeof head>
  /** So that a lost line is noticed. */
  lines: number
}

function* toLines({ map: { documents, dead_references, ...map }, files }: ScanState): Iterable<object> {
  yield { map, lines: documents.length + dead_references.length + files.size } satisfies Head
  for (const document of documents) yield { document }
  for (const dead of dead_references) yield { dead }
  for (const [path, known] of files) yield { path, known }
}

function* toState([first, ...rest]: unknown[]): Pausing<ScanState | undefined> {
  const { map, lines } = (first ?? {}) as Partial<Head>
  const parsed = head.safeParse(map)
  if (!parsed.success || lines !== rest.length) return undefined
  const documents: DocumentEntry[] = []
  const dead_references: DeadReference[] = []
  const files = new Map<string, KnownFile>()
  for (const line of rest) {
    yield
    // Each line is an object: the file's reader takes no other.
    const { document, dead, path, known } = line as Record<string, unknown>
    if (typeof path === "string") {
      if (!isKnownFile(known)) return undefined
      files.set(path, known)
      continue
    }
    const read = document === undefined ? deadReference.safeParse(dead) : documentEntry.safeParse(document)
    if (!read.success) return undefined
    if ("type" in read.data) documents.push(read.data)
    else dead_references.push(read.data)
  }
  // The whole is what its parts were parsed as.
  return { map: { ...parsed.data, documents, dead_references } as ProjectMap, files }
}

function isKnownFile(value: unknown): value is KnownFile {
  const { signature, hash, lines, document } = (value ?? {}) as Partial<KnownFile>
  return (
    typeof signature === "string" &&
    (hash === null || typeof hash === "string") &&
    (lines === null || typeof lines === "number") &&
    (document === undefined || Array.isArray(document.links))
  )
}
