import { existsSync } from "node:fs"
import { rm, rmdir } from "node:fs/promises"
import { dirname } from "node:path"
import type { HivePlace } from "../../hive/locate.ts"
import { deleteRefs, type Kept } from "../../sync/purge.ts"
import { type ConfigChange, undoEdit } from "./config-change.ts"
import { deleteConfigFile, explainWrite, replaceConfigFile } from "./config-file.ts"
import { readRecord, recordedFile, writeRecord } from "./install-record.ts"
import {
  type ConfigLocation,
  type ConfigScope,
  configFiles,
  type FoundConfig,
  isHiveMind,
  readConfigs,
} from "./opencode-config.ts"
import { panelFiles, readableOf } from "./panel-config.ts"
import { newConfig, removePlugins } from "./plugin-list.ts"

export interface Removal {
  file: string
  /** Back to the bytes before init; or the file gone that init made; or, as it has changed since, our entry only. */
  change: "restored" | "deleted" | "entry_removed"
  before: string
  after: string
  madeFolder: string | null
}

/** What uninstall would do to the configs of a scope, those of the panel included. Reads only; throws on one that cannot be edited safely. */
export async function planRemoval(
  scope: ConfigScope,
  location: ConfigLocation,
  specifier: string | undefined,
): Promise<Removal[]> {
  const { hiveHome } = location
  const changes = (await readRecord(hiveHome)).filter(
    (change) => change.scope === scope && change.client === undefined,
  )
  const recorded = changes.map((change) => recordedFile(hiveHome, change))
  const configs = await readConfigs([...new Set([...recorded, ...configFiles(scope, location)])])
  const panels = panelFiles(scope, location).filter((file) => !recorded.includes(file))
  return [...configs, ...(await readableOf(panels))].flatMap((config) => {
    const change = changes.find((candidate) => recordedFile(hiveHome, candidate) === config.file)
    return removalFor(config, change, specifier) ?? []
  })
}

/** Takes the entries out of the configs, then what is on record about them. */
export async function applyRemoval(
  removals: Removal[],
  hiveHome: string,
  isTakenBack: (change: ConfigChange) => boolean,
): Promise<void> {
  // The last first: the folders that were made for the first one are empty only then.
  for (const removal of removals.toReversed()) {
    if (removal.change === "deleted") await deleteMade(removal)
    else await replaceConfigFile(removal.file, removal.before, removal.after)
  }
  const changes = await readRecord(hiveHome)
  const others = changes.filter((change) => !isTakenBack(change))
  if (others.length < changes.length) await writeRecord(hiveHome, others)
}

/** Deletes all that HiveMind has kept of the project. */
export async function purge(place: HivePlace, kept: Kept): Promise<void> {
  await deleteRefs(place, kept)
  for (const folder of kept.folders) {
    try {
      await rm(folder, { recursive: true, force: true })
    } catch (error) {
      throw explainWrite(error, `delete ${folder}`, folder)
    }
  }
}

function removalFor(
  { file, text, plugins }: FoundConfig,
  change: ConfigChange | undefined,
  specifier: string | undefined,
): Removal | undefined {
  const base = { file, before: text, madeFolder: change?.made_folder ?? null }
  const original = change === undefined ? undefined : undoEdit(change, text)
  if (original === null) return { ...base, change: "deleted", after: "" }
  if (original !== undefined) return { ...base, change: "restored", after: original }

  const matches = (entry: string) =>
    entry === change?.specifier || entry === specifier || isHiveMind(entry, file)
  if (plugins?.some(matches) !== true) return undefined
  // Where init was run elsewhere, its record is there too; but a file with nothing but our entry is one that it made.
  const [only] = plugins
  if (change === undefined && only !== undefined && text === newConfig(only, file))
    return { ...base, change: "deleted", after: "" }
  const after = removePlugins(text, matches, file, change?.made_key ?? true)
  return { ...base, change: "entry_removed", after }
}

async function deleteMade({ file, before, madeFolder }: Removal): Promise<void> {
  await deleteConfigFile(file, before)
  if (madeFolder === null || !existsSync(madeFolder)) return
  for (let dir = dirname(file); dir.length >= madeFolder.length; dir = dirname(dir)) {
    const emptied = await rmdir(dir).then(
      () => true,
      // Something else has moved in since: then the folder is no longer ours to take.
      () => false,
    )
    if (!emptied) return
  }
}
