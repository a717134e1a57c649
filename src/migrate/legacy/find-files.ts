import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { isOfOlderTool } from "../../store/older-tool.ts"
import { type LegacyFile, type LegacyReader, STEPS } from "./context.ts"
import { readHead, readOrphans, readPhases, readPlans, readTasks, readTodos } from "./graph.ts"
import { readIdumbPlans } from "./idumb.ts"
import { readDelegations, readIdumbState, readKnowledge } from "./idumb-state.ts"
import { documentReader, exportText, ignoringReader, planText, readAnchors, readMems } from "./knowledge.ts"
import { readBrain, readSessions } from "./sessions.ts"
import { readSettings } from "./settings.ts"
import { readTree } from "./tree.ts"

interface LayoutFile {
  /** Relative to the layout's folder: a file, or a folder of files with such names. */
  path: string
  names?: RegExp
  step: (typeof STEPS)[number]
  read: LegacyReader
  /** HiveMind itself has, or had, a file of that name: its content decides. */
  isShared?: boolean
  /** HiveMind or a person may have such documents too. They stay, and count only beside other files of the layout. */
  isDocument?: boolean
}

const keptDocument = ignoringReader("a document: it stays where it is, and `hivemind log trace` finds it")
const otherDocument = ignoringReader("a document: it stays where it is")
const derived = ignoringReader("made again by `hivemind scan` where it is needed")
const readNotes = documentReader((text) => text)
const readExport = documentReader(exportText)

/** Where the older tools kept what. The newest layout comes first: of two copies of a record, it knows more. */
const LAYOUTS: readonly { folder: string; files: readonly LayoutFile[] }[] = [
  {
    // G2 and G3: folders in `.hivemind/`.
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
      // HiveMind's own exports are called by a stamp and a number.
      document("sessions/archive/exports", /^(?!\d{10,12}(-\d+)?-\d{3,}\.json$).*\.json$/, readExport),
      document("sessions/archive/exports", /\.md$/, keptDocument),
      document("plans", /\.md$/, otherDocument),
    ],
  },
  {
    // G1: flat files in `.hivemind/`.
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
    // iDumb 1 and 2: files of the same names, which their fields tell apart.
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
    // Layout G0 (docs/migrate.md): the plan is three lines of text.
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

/**
 * The files of older tools in a project, in the order in which they are read. Looks only at names and first lines. `copies`:
 * where the `.bak` of a migrated file is, by the file's name.
 */
export function findLegacyFiles(
  project: string,
  copies: ReadonlyMap<string, string> = new Map(),
): LegacyFile[] {
  const found = new Map<string, { file: LegacyFile; folder: string; isDocument: boolean }>()
  for (const { folder, files } of LAYOUTS) {
    if (statOf(join(project, folder)) === undefined) continue
    for (const each of files) {
      const base = join(project, folder, each.path)
      const names = each.names === undefined ? [base] : pathsIn(base, each.names)
      for (const path of names) {
        const file = legacyFile(project, folder, path, each, copies)
        const isDocument = each.isDocument === true
        if (file !== undefined && !found.has(file.path)) found.set(file.path, { file, folder, isDocument })
      }
    }
  }
  const all = [...found.values()]
  const telling = new Set(
    all.filter(({ isDocument, file }) => !isDocument && file.isCopy !== true).map(({ folder }) => folder),
  )
  return all
    .filter(({ folder }) => telling.has(folder))
    .map(({ file }) => file)
    .sort((a, b) => a.step - b.step)
}

function legacyFile(
  project: string,
  folder: string,
  path: string,
  { step, read, isShared = false, isDocument = false }: LayoutFile,
  copies: ReadonlyMap<string, string>,
): LegacyFile | undefined {
  const name = relative(project, path).split(sep).join("/")
  const stat = statOf(path)
  const common = { name, step: STEPS.indexOf(step) }
  if (stat === undefined) {
    const copy = copies.get(name)
    const at = copy === undefined ? undefined : statOf(copy)
    if (copy === undefined || at === undefined) return undefined
    return { ...common, path: copy, at: at.mtime.toISOString(), stays: true, isCopy: true, read }
  }
  const why = whyNotRead(project, path, stat.isFile(), stat.size)
  if (isShared && why === undefined && !isOfOlderTool(join(project, ".hivemind"), path)) return undefined
  return {
    ...{ ...common, path, at: stat.mtime.toISOString(), isUnreadable: why === UNREADABLE },
    stays: isDocument || folder !== ".hivemind" || (why !== undefined && why !== EMPTY),
    read: why === undefined ? read : why === UNREADABLE ? quarantiningReader(why) : ignoringReader(why),
  }
}

function quarantiningReader(quarantine: string): LegacyReader {
  return async function* ({ name }) {
    yield { from: name, quarantine, original: undefined }
  }
}

function whyNotRead(project: string, path: string, isFile: boolean, size: number): string | undefined {
  if (!isInside(project, path)) return "a link that leads out of the project"
  if (!isFile) return "not a file"
  try {
    accessSync(path, constants.R_OK)
  } catch {
    return UNREADABLE
  }
  return size === 0 ? EMPTY : undefined
}

/** A repository may contain links; what lies outside of it is not read. */
function isInside(project: string, path: string): boolean {
  try {
    const inside = relative(realpathSync(project), realpathSync(path))
    return inside !== "" && !inside.startsWith("..")
  } catch {
    return false // Gone meanwhile.
  }
}

function statOf(path: string) {
  try {
    return statSync(path)
  } catch {
    return undefined // Not there, or in a folder that may not be read.
  }
}

function pathsIn(folder: string, names: RegExp): string[] {
  try {
    const listed = readdirSync(folder).filter((name) => names.test(name))
    return listed.sort().map((name) => join(folder, name))
  } catch {
    return [] // There is no such folder.
  }
}

const EMPTY = "an empty file"
const UNREADABLE = "cannot be read; it stays where it is"
