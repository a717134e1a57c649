import { existsSync } from "node:fs"
import { rm, rmdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type HivePlace, realPath } from "../../hive/locate.ts"
import { ONLY_IN } from "../../hive/plugin-options.ts"
import { deleteRefs, type HiveData } from "../../sync/backup.ts"
import { deleteConfigFile, explainWrite, readConfigFile, replaceConfigFile } from "./config-file.ts"
import {
  type ConfigLocation,
  type ConfigScope,
  configFiles,
  isHiveMind,
  panelFiles,
  readableConfigs,
  readConfigs,
  secondPanelFile,
} from "./find-opencode-config.ts"
import { type ConfigChange, readRecord, recordedFile, undoEdit, writeRecord } from "./install-record.ts"
import { hasServer, MCP_CLIENTS, type McpClient, removeServer } from "./mcp-clients.ts"
import { newConfig, type PluginEntry, pluginEntries, removeEntries } from "./plugin-list.ts"

export interface Removal {
  file: string
  /** `restored`: the content before init. `deleted`: a file that init made. `entry_removed`: only our entry is removed. */
  change: "restored" | "deleted" | "entry_removed"
  before: string
  after: string
  madeFolder: string | null
}

/** Plans how to remove HiveMind from the plugin and panel configs of a scope. Throws if a config cannot be edited safely. */
export async function planRemoval(
  scope: ConfigScope,
  location: ConfigLocation,
  specifier: string | undefined,
): Promise<Removal[]> {
  return planPluginRemoval(scope, location, (file, change) => ({
    isTarget: ({ specifier: each }) =>
      each === change?.specifier || each === specifier || isHiveMind(each, file),
  }))
}

export async function planProjectRemoval(location: ConfigLocation): Promise<Removal[]> {
  const home = realPath(location.hiveHome)
  return planPluginRemoval("global", location, (_, change) => {
    // A project that was moved is still listed by its old path.
    const moved = change?.only_in !== undefined && !existsSync(change.only_in) ? change.only_in : undefined
    const isProject = (project: string) => realPath(project) === home || project === moved
    return { isTarget: ({ projects }) => projects?.some(isProject) === true, isProject }
  })
}

type Target = { isTarget: (entry: PluginEntry) => boolean; isProject?: (project: string) => boolean }

async function planPluginRemoval(
  scope: ConfigScope,
  location: ConfigLocation,
  targetIn: (file: string, change: ConfigChange | undefined) => Target,
): Promise<Removal[]> {
  const { hiveHome } = location
  const changes = (await readRecord(hiveHome)).filter(
    (each) => each.scope === scope && each.client === undefined,
  )
  const recorded = changes.map((change) => recordedFile(hiveHome, change))
  const panels = [...panelFiles(scope, location), ...(scope === "global" ? [secondPanelFile(location)] : [])]
  const found = [
    ...(await readConfigs([...new Set([...recorded, ...configFiles(scope, location)])])),
    // A broken panel config that HiveMind never edited is skipped without an error.
    ...(await readableConfigs(panels.filter((file) => !recorded.includes(file)))),
  ]
  return found.flatMap(({ file, text }) => {
    const change = changes.find((each) => recordedFile(hiveHome, each) === file)
    const { isTarget, isProject } = targetIn(file, change)
    const entries = (of: string) => pluginEntries(of, file)?.filter(isTarget) ?? []
    return (
      removalOf(file, text, change, {
        isIn: (given) => entries(given).length > 0,
        isAlone: () => entries(text).some((entry) => isOurFile(text, entry, file, isProject !== undefined)),
        without: () =>
          removeEntries(text, file, isTarget, { isProject, dropEmpty: change?.made_key ?? true }),
      }) ?? []
    )
  })
}

export async function planMcpRemoval(
  { projectDir, hiveHome }: ConfigLocation,
  clients: readonly McpClient[] = MCP_CLIENTS,
): Promise<Removal[]> {
  const changes = await readRecord(hiveHome)
  const removals: Removal[] = []
  for (const { name, file: path, format } of clients) {
    const file = join(projectDir, path)
    const text = await readConfigFile(file)
    // A file that does not mention HiveMind is skipped, even if it cannot be parsed.
    if (text === undefined || !text.includes("hivemind")) continue
    const change = changes.find((each) => each.client === name && recordedFile(hiveHome, each) === file)
    const without = () => removeServer(text, format, file, change?.made_key ?? true)
    const removal = removalOf(file, text, change, {
      isIn: (given) => hasServer(given, format, file),
      // Without a record, a file that would be left empty counts as made by init.
      isAlone: () => change === undefined && /^\s*(\{\s*\})?\s*$/.test(without()),
      without,
    })
    if (removal !== undefined) removals.push(removal)
  }
  return removals
}

type OurEntry = { isIn: (text: string) => boolean; isAlone: () => boolean; without: () => string }

function removalOf(
  file: string,
  text: string,
  change: ConfigChange | undefined,
  { isIn, isAlone, without }: OurEntry,
): Removal | undefined {
  if (!isIn(text)) return undefined
  const base = { file, before: text, madeFolder: change?.made_folder ?? null }
  const original = undoEdit(change, text)
  if (original === null) return { ...base, change: "deleted", after: "" }
  // The earlier content contains the entry if another project had added it before this project's init.
  if (original !== undefined && !isIn(original)) return { ...base, change: "restored", after: original }
  if (isAlone()) return { ...base, change: "deleted", after: "" }
  return { ...base, change: "entry_removed", after: without() }
}

/** Whether the config has nothing but init's entry and can be deleted. `oneProject`: not if it is for several projects. */
function isOurFile(text: string, { specifier, projects }: PluginEntry, file: string, oneProject: boolean) {
  if (oneProject && projects !== undefined && projects.length > 1) return false
  return text === newConfig(projects === undefined ? specifier : [specifier, { [ONLY_IN]: projects }], file)
}

export async function applyRemoval(
  removals: Removal[],
  hiveHome: string,
  isTakenBack: (change: ConfigChange) => boolean,
): Promise<void> {
  // In reverse order, because folders that were made for the first file are empty only at the end.
  for (const removal of removals.toReversed()) {
    if (removal.change === "deleted") await deleteMade(removal)
    else await replaceConfigFile(removal.file, removal.before, removal.after)
  }
  const changes = await readRecord(hiveHome)
  const others = changes.filter((change) => !isTakenBack(change))
  if (others.length < changes.length) await writeRecord(hiveHome, others)
}

async function deleteMade({ file, before, madeFolder }: Removal): Promise<void> {
  await deleteConfigFile(file, before)
  if (madeFolder === null || !existsSync(madeFolder)) return
  for (let dir = dirname(file); dir.length >= madeFolder.length; dir = dirname(dir)) {
    try {
      await rmdir(dir)
    } catch {
      return // The folder is not empty: something else uses it now.
    }
  }
}

export async function purge(place: HivePlace, kept: HiveData): Promise<void> {
  await deleteRefs(place, kept)
  for (const folder of kept.folders) {
    try {
      await rm(folder, { recursive: true, force: true })
    } catch (error) {
      throw explainWrite(error, `delete ${folder}`, folder)
    }
  }
}
