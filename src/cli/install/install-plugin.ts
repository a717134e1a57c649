import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { dirname } from "node:path"
import { noteBefore } from "../../store/before-hive.ts"
import { createLayout, hivePaths } from "../../store/files/layout.ts"
import { type ConfigChange, describeEdit } from "./config-change.ts"
import { explainWrite, replaceConfigFile } from "./config-file.ts"
import { fileForRecord, readRecord, recordedFile, writeRecord } from "./install-record.ts"
import {
  type ConfigLocation,
  type ConfigScope,
  chooseConfigFile,
  configFiles,
  findInstalled,
  isHiveMind,
  readConfigs,
} from "./opencode-config.ts"
import { writeOptionsSchema } from "./options-schema.ts"
import { addPlugin, hasPluginList, newConfig } from "./plugin-list.ts"

export interface InstallPlan {
  scope: ConfigScope
  specifier: string
  file: string
  /** Undefined where init makes the file, or has nothing to do. */
  before: string | undefined
  /** Undefined where the entry is there already. */
  after: string | undefined
  /** Our entry is the first under its key. */
  madeKey: boolean
  /** The client over MCP whose file it is; left out for OpenCode's. */
  client?: string
}

/** What init would do to the config. Reads only; throws on a config that cannot be edited safely. */
export async function planInstall(
  scope: ConfigScope,
  location: ConfigLocation,
  specifierFor: (file: string) => string,
): Promise<InstallPlan> {
  const found = await readConfigs(configFiles(scope, location))
  const installed = findInstalled(
    scope,
    found,
    (entry, file) => entry === specifierFor(file) || isHiveMind(entry, file),
  )
  if (installed !== undefined)
    return { scope, ...installed, before: undefined, after: undefined, madeKey: false }
  const { file, text } = chooseConfigFile(scope, location, found)
  const specifier = specifierFor(file)
  const after = text === undefined ? newConfig(specifier, file) : addPlugin(text, specifier, file)
  const madeKey = text === undefined || !hasPluginList(text, file)
  return { scope, specifier, file, before: text, after, madeKey }
}

/**
 * Makes `.hivemind/` (unless `setUpProject` is false), puts the change on record there, then makes it; a crash in
 * between leaves nothing to repair. Returns what it made under `.hivemind/`.
 */
export async function applyInstall(
  plan: InstallPlan,
  hiveHome: string,
  setUpProject: boolean,
): Promise<string[]> {
  if (!setUpProject) {
    if (plan.after !== undefined) await replaceConfigFile(plan.file, plan.before, plan.after)
    return []
  }
  const { root } = hivePaths(hiveHome)
  const hadHive = existsSync(root)
  const earlier = await readRecord(hiveHome)
  try {
    const made = await makeLayout(hiveHome, root)
    if (plan.after !== undefined) {
      await writeRecord(hiveHome, withChange(earlier, plan, plan.after, hiveHome))
      await replaceConfigFile(plan.file, plan.before, plan.after)
    }
    return made
  } catch (error) {
    // Half an installation is worse than none; should this fail as well, the first error still says why.
    const undo = hadHive ? writeRecord(hiveHome, earlier) : rm(root, { recursive: true, force: true })
    await undo.catch(() => {})
    throw error
  }
}

async function makeLayout(hiveHome: string, root: string): Promise<string[]> {
  try {
    noteBefore(hiveHome)
    return [...(await createLayout(hiveHome)), ...(await writeOptionsSchema(hiveHome))]
  } catch (error) {
    throw explainWrite(error, "set up .hivemind/", root)
  }
}

function withChange(
  earlier: ConfigChange[],
  plan: InstallPlan,
  after: string,
  hiveHome: string,
): ConfigChange[] {
  const change: ConfigChange = {
    scope: plan.scope,
    file: fileForRecord(hiveHome, plan.scope, plan.file),
    specifier: plan.specifier,
    ...(plan.client === undefined ? {} : { client: plan.client }),
    made_key: plan.madeKey,
    made_folder: topmostMissing(dirname(plan.file)) ?? null,
    ...describeEdit(plan.before, after),
  }
  return [...earlier.filter((other) => recordedFile(hiveHome, other) !== plan.file), change]
}

function topmostMissing(dir: string): string | undefined {
  if (existsSync(dir)) return undefined
  return topmostMissing(dirname(dir)) ?? dir
}
