import { existsSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { toJSONSchema } from "zod"
import { ONLY_IN } from "../../hive/plugin-options.ts"
import { config } from "../../schemas/config.ts"
import { createLayout, hivePaths } from "../../store/files/layout.ts"
import { noteBefore } from "../../store/older-tool.ts"
import { explainWrite, replaceConfigFile } from "./config-file.ts"
import {
  type ConfigLocation,
  type ConfigScope,
  configFiles,
  findInstalled,
  isHiveMind,
  isPath,
  panelFiles,
  readConfigs,
  secondPanelFile,
} from "./find-opencode-config.ts"
import {
  type ConfigChange,
  describeEdit,
  fileForRecord,
  readRecord,
  recordedFile,
  undoEdit,
  writeRecord,
} from "./install-record.ts"
import { editJsonc } from "./jsonc.ts"
import { addPlugin, hasPluginList, type NewEntry, PLUGIN_KEYS } from "./plugin-list.ts"

export interface InstallPlan {
  scope: ConfigScope
  specifier: string
  file: string
  /** The text before the edit. Undefined if init makes the file, or has nothing to do. */
  before: string | undefined
  /** The text after the edit. Undefined if the entry is there already. */
  after: string | undefined
  madeKey: boolean
  /** The hive folder that an entry in the user-wide config is limited to; left out if it is for all projects. */
  onlyIn?: string | undefined
  /** The MCP client that the config belongs to; left out for OpenCode's config. */
  client?: string
}

type SpecifierFor = (file: string) => string

/** Plans init's edit of an OpenCode config; with `panel`, of its terminal UI's. Throws if it cannot be edited safely. */
export async function planInstall(
  scope: ConfigScope,
  location: ConfigLocation,
  specifierFor: SpecifierFor,
  { onlyIn, panel = false }: { onlyIn?: string | undefined; panel?: boolean } = {},
): Promise<InstallPlan> {
  const files = panel ? panelFiles(scope, location) : configFiles(scope, location)
  const found = await readConfigs(files)
  const isOurs = (entry: string, file: string) => entry === specifierFor(file) || isHiveMind(entry, file)
  const installed = findInstalled(panel ? "project" : scope, found, isOurs)
  if (installed === undefined) {
    const chosen = found.find(({ entries }) => entries !== undefined) ?? found[0]
    // A new file is `.json`, not `.jsonc`, because every editor knows JSON.
    const file = chosen?.file ?? files.find((each) => /(opencode|tui)\.json$/.test(each)) ?? ""
    const before = chosen?.text
    const specifier = specifierFor(file)
    const entry: NewEntry = onlyIn === undefined ? specifier : [specifier, { [ONLY_IN]: [onlyIn] }]
    const after = addPlugin(before ?? "", entry, file)
    const madeKey = before === undefined || !hasPluginList(before, file)
    return { scope, specifier, file, before, after, madeKey, onlyIn }
  }
  const { file, text, entries, entry } = installed
  const plan = { scope, specifier: entry.specifier, file, madeKey: entries?.length === 1, onlyIn }
  const { projects, limitPath } = entry
  if (projects === undefined || (onlyIn !== undefined && projects.includes(onlyIn)))
    return { ...plan, before: undefined, after: undefined, onlyIn: projects && onlyIn }
  const after = editJsonc(text, limitPath, onlyIn === undefined ? { remove: true } : { append: onlyIn }, file)
  return { ...plan, before: text, after }
}

/** Plans the edit that adds the panel to OpenCode 2. Undefined without its settings file: OpenCode 2 imports OpenCode 1's then. */
export async function planSecondPanel(
  location: ConfigLocation,
  specifierFor: SpecifierFor,
): Promise<InstallPlan | undefined> {
  const file = secondPanelFile(location)
  const [found] = await readConfigs([file])
  if (found === undefined) return undefined
  const given = specifierFor(file)
  // If given a folder, OpenCode 2 would load `tui.js` next to package.json, so the entry names `dist/tui.js`.
  const specifier =
    isPath(given) && !given.endsWith(".js") ? `${given.replace(/[\\/]$/, "")}/dist/tui.js` : given
  const isOurs = (entry: string, at: string) => entry === specifier || isHiveMind(entry, at)
  const installed = findInstalled("project", [found], isOurs)?.entry
  const plan = { scope: "global" as const, file, madeKey: found.entries === undefined }
  if (installed !== undefined)
    return { ...plan, specifier: installed.specifier, before: undefined, after: undefined }
  const after = addPlugin(found.text, specifier, file, PLUGIN_KEYS[1])
  return { ...plan, specifier, before: found.text, after }
}

/** Makes the planned edit. It is recorded first, so that uninstall can undo it even after a crash. Returns created paths. */
export async function applyInstall(
  plan: InstallPlan,
  hiveHome: string,
  setUpProject: boolean,
): Promise<string[]> {
  const edit = async () => {
    if (plan.after !== undefined) await replaceConfigFile(plan.file, plan.before, plan.after)
  }
  if (!setUpProject) return edit().then(() => [])
  const { root } = hivePaths(hiveHome)
  const hadHive = existsSync(root)
  const earlier = await readRecord(hiveHome)
  try {
    const made = await setUpHive(hiveHome)
    if (plan.after !== undefined) await writeRecord(hiveHome, withChange(earlier, plan, plan.after, hiveHome))
    await edit()
    return made
  } catch (error) {
    // Rolls back a partial installation. If that fails too, the first error is still the one to report.
    const undo = hadHive ? writeRecord(hiveHome, earlier) : rm(root, { recursive: true, force: true })
    await undo.catch(() => {})
    throw error
  }
}

export async function setUpHive(hiveHome: string): Promise<string[]> {
  try {
    noteBefore(hiveHome)
    return [...(await createLayout(hiveHome)), ...(await writeOptionsSchema(hiveHome))]
  } catch (error) {
    throw explainWrite(error, "set up .hivemind/", hivePaths(hiveHome).root)
  }
}

async function writeOptionsSchema(hiveHome: string): Promise<string[]> {
  const file = join(dirname(hivePaths(hiveHome).config), "config.schema.json")
  const text = `${JSON.stringify(toJSONSchema(config, { io: "input" }), null, 2)}\n`
  const isNew = !existsSync(file)
  if (isNew || readFileSync(file, "utf8") !== text) await writeFileAtomic(file, text)
  return isNew ? [file] : []
}

function withChange(
  earlier: ConfigChange[],
  { scope, specifier, file, before, madeKey, onlyIn, client }: InstallPlan,
  after: string,
  hiveHome: string,
): ConfigChange[] {
  const isSameFile = (other: ConfigChange) => recordedFile(hiveHome, other) === file
  const first = earlier.find(isSameFile)
  // If this is our second edit of the file, uninstall reverts both.
  const original = before === undefined ? undefined : undoEdit(first, before)
  const change: ConfigChange = {
    scope,
    file: fileForRecord(hiveHome, scope, file),
    specifier,
    ...(client === undefined ? {} : { client }),
    ...(onlyIn === undefined ? {} : { only_in: onlyIn }),
    made_key: madeKey,
    made_folder: first?.made_folder ?? topmostMissing(dirname(file)) ?? null,
    ...describeEdit(original === undefined ? before : (original ?? undefined), after),
  }
  return [...earlier.filter((other) => !isSameFile(other)), change]
}

export function topmostMissing(dir: string): string | undefined {
  if (existsSync(dir)) return undefined
  return topmostMissing(dirname(dir)) ?? dir
}
