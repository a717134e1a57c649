import { realpathSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { isReadable, listNamesOrEmpty, orUndefined, statOrUndefined } from "../../shared/lenient-files.ts"
import { isOfOlderTool } from "../../store/older-tool.ts"
import { type LegacyFile, type LegacyReader, STEPS } from "./context.ts"
import { readHead, readOrphans, readPhases, readPlans, readTasks, readTodos } from "./graph.ts"
import { readDelegations, readIdumbPlans, readIdumbState, readKnowledge } from "./idumb.ts"
import { documentReader, exportText, planText, readAnchors, readMems, unusedReader } from "./knowledge.ts"
import { readBrain, readSessions } from "./sessions.ts"
import { readSettings } from "./settings.ts"
import { readTree } from "./tree.ts"

interface LayoutFile {
  /** A file in the layout's folder. With `names`, a folder in it, of which the matching files are read. */
  path: string
  names?: RegExp
  step: (typeof STEPS)[number]
  read: LegacyReader
  /** True if HiveMind has files of this name too. `isOfOlderTool` tells whose file it is. */
  isShared?: boolean
  /** True for documents that HiveMind or a person may have written. They are read only beside other files of the older tool. */
  isDocument?: boolean
}

const keptDocument = unusedReader({
  ignore: "a document: it stays where it is, and `hivemind log trace` finds it",
})
const otherDocument = unusedReader({ ignore: "a document: it stays where it is" })
const derived = unusedReader({ ignore: "a derived file: `hivemind scan` makes it again" })
const readNotes = documentReader((text) => text)
const readExport = documentReader(exportText)

/** The files of each older tool. Newer layouts come first, because their copies of a record are more complete. */
const LAYOUTS: readonly { folder: string; files: readonly LayoutFile[] }[] = [
  {
    // Layouts G2 and G3 (docs/migrate.md): folders in `.hivemind/`.
    folder: ".hivemind",
    files: [
      { path: "graph/plans.json", step: "graph", read: readPlans, isShared: true },
      { path: "graph/phases.json", step: "graph", read: readPhases },
      { path: "graph/tasks.json", step: "graph", read: readTasks, isShared: true },
      { path: "graph/trajectory.json", step: "graph", read: readHead, isShared: true },
      { path: "graph/task-id-lineage-map.json", step: "graph", read: derived },
      { path: "state/hierarchy.json", step: "tree", read: readTree },
      { path: "state/brain.json", step: "state", read: readBrain, isShared: true },
      { path: "state/tasks.json", step: "todos", read: readTodos },
      { path: "state/anchors.json", step: "anchors", read: readAnchors, isShared: true },
      { path: "memory/mems.json", step: "mems", read: readMems },
      { path: "graph/mems.json", step: "mems", read: readMems, isShared: true },
      { path: "graph/orphans.json", step: "orphans", read: readOrphans, isShared: true },
      ...["", "state/", "memory/", "plans/", "codemap/", "codewiki/"].map(
        (folder) => ({ path: `${folder}manifest.json`, step: "documents", read: derived }) as const,
      ),
      document("sessions", /^session-.*\.json$/, readExport),
      document("sessions/active", /\.md$/, keptDocument),
      // The pattern excludes HiveMind's own exports, which are named by a stamp and a number.
      document("sessions/archive/exports", /^(?!\d{10,12}(-\d+)?-\d{3,}\.json$).*\.json$/, readExport),
      document("sessions/archive/exports", /\.md$/, keptDocument),
      document("plans", /\.md$/, otherDocument),
    ],
  },
  {
    // Layout G1: files directly in `.hivemind/`.
    folder: ".hivemind",
    files: [
      { path: "hierarchy.json", step: "tree", read: readTree },
      { path: "sessions/manifest.json", step: "sessions", read: readSessions, isShared: true },
      { path: "brain.json", step: "state", read: readBrain },
      { path: "anchors.json", step: "anchors", read: readAnchors },
      { path: "mems.json", step: "mems", read: readMems },
      { path: "config.json", step: "settings", read: readSettings },
      document("sessions", /^\d{10,12}(-\d+)?\.md$/, keptDocument),
      document("sessions/archive", /\.md$/, keptDocument),
    ],
  },
  {
    // iDumb 1 and 2. Their files have the same names, and their fields tell them apart.
    folder: ".idumb",
    files: [
      ...["graph.json", "task-graph.json", "plan-state.json", "tasks.json"].map(
        (name) => ({ path: `brain/${name}`, step: "graph", read: readIdumbPlans }) as const,
      ),
      ...["brain/state.json", "brain/hook-state.json", "state.json"].map(
        (path) => ({ path, step: "state", read: readIdumbState }) as const,
      ),
      { path: "brain/delegations.json", step: "orphans", read: readDelegations },
      { path: "brain/knowledge.json", step: "mems", read: readKnowledge },
      { path: "config.json", step: "settings", read: readSettings },
      { path: "brain/plan.json", step: "documents", read: documentReader(planText, "plans") },
      { path: "brain", names: /^(registry|codemap|project-map)\.json$/, step: "documents", read: derived },
    ],
  },
  {
    // Layout G0: the plan is three lines of text.
    folder: ".opencode/planning",
    files: [
      { path: "brain.json", step: "state", read: readBrain },
      { path: "config.json", step: "settings", read: readSettings },
      { path: "active.md", step: "documents", read: readNotes, isDocument: true },
      { path: "index.md", step: "documents", read: otherDocument, isDocument: true },
      document("archive", /\.(md|json)$/, readNotes),
    ],
  },
]

function document(path: string, names: RegExp, read: LegacyReader): LayoutFile {
  return { path, names, step: "documents", read, isDocument: true }
}

/** Finds the files of older tools, in reading order. `copies` maps a migrated file's name to the path of its `.bak` file. */
export function findLegacyFiles(project: string, copies: ReadonlyMap<string, string> = new Map()) {
  const found = new Map<string, { file: LegacyFile; folder: string; isDocument: boolean }>()
  for (const { folder, files } of LAYOUTS) {
    if (statOrUndefined(join(project, folder)) === undefined) continue
    for (const each of files) {
      const base = join(project, folder, each.path)
      const isMeant = (name: string) => each.names?.test(name)
      const inside = () => listNamesOrEmpty(base).filter(isMeant).sort()
      const paths = each.names === undefined ? [base] : inside().map((name) => join(base, name))
      for (const path of paths) {
        const file = legacyFile(project, folder, path, each, copies)
        const isDocument = each.isDocument === true
        if (file !== undefined && !found.has(file.path)) found.set(file.path, { file, folder, isDocument })
      }
    }
  }
  const all = [...found.values()]
  const proofs = all.filter(({ isDocument, file }) => !isDocument && file.isCopy !== true)
  const folders = new Set(proofs.map(({ folder }) => folder))
  return all.flatMap(({ folder, file }) => (folders.has(folder) ? file : [])).sort((a, b) => a.step - b.step)
}

function legacyFile(
  project: string,
  folder: string,
  path: string,
  { step, read, isShared = false, isDocument = false }: LayoutFile,
  copies: ReadonlyMap<string, string>,
): LegacyFile | undefined {
  const name = relative(project, path).split(sep).join("/")
  const stat = statOrUndefined(path)
  const common = { name, step: STEPS.indexOf(step) }
  if (stat === undefined) {
    const copy = copies.get(name)
    const at = copy === undefined ? undefined : statOrUndefined(copy)
    if (copy === undefined || at === undefined) return undefined
    return { ...common, path: copy, at: at.mtime.toISOString(), stays: true, isCopy: true, read }
  }
  const why = whyNotRead(project, path, stat.isFile(), stat.size)
  if (isShared && why === undefined && !isOfOlderTool(join(project, ".hivemind"), path)) return undefined
  return {
    ...{ ...common, path, at: stat.mtime.toISOString(), isUnreadable: why === UNREADABLE },
    stays: isDocument || folder !== ".hivemind" || (why !== undefined && why !== EMPTY),
    read:
      why === undefined
        ? read
        : unusedReader(why === UNREADABLE ? { quarantine: why, original: undefined } : { ignore: why }),
  }
}

function whyNotRead(project: string, path: string, isFile: boolean, size: number): string | undefined {
  if (!isInside(project, path)) return "a link that leads out of the project"
  if (!isFile) return "not a file"
  if (!isReadable(path)) return UNREADABLE
  return size === 0 ? EMPTY : undefined
}

/** False for a symbolic link that leads out of the project. It is not read. */
function isInside(project: string, path: string): boolean {
  const inside = orUndefined(() => relative(realpathSync(project), realpathSync(path))) ?? ""
  return inside !== "" && !inside.startsWith("..")
}

const EMPTY = "an empty file"
const UNREADABLE = "cannot be read; it stays where it is"
