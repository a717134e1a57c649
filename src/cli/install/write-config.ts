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
import { addPlugin, hasPluginList, PLUGIN_KEYS } from "./plugin-list.ts"

export interface InstallPlan {
  scope: ConfigScope
  specifier: string
  file: string
  /** Undefined if init makes the file, or has nothing to do. */
  before: string | undefined
  /** Undefined if the entry is there already. */
  after: string | undefined
  /** Our entry is the only one under its key. */
  madeKey: boolean
  /** The folder of the hive that an entry in the user-wide config is for; left out if it is for all projects. */
  onlyIn?: string | undefined
  /** The client over MCP whose file it is; left out for OpenCode's. */
  client?: string
}

type SpecifierFor = (file: string) => string

/**
 * Plans the change of a config that loads the plugin, or with `panel` of one that shows it in OpenCode 1's terminal UI.
 * `onlyIn`: the hive that an entry in the user-wide config is limited to. Reads only; throws on a config that cannot be
 * edited safely.
 */
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
    // A new file is JSON without comments, which every editor knows.
    const file = chosen?.file ?? files.find((each) => /(opencode|tui)\.json$/.test(each)) ?? ""
    const before = chosen?.text
    const specifier = specifierFor(file)
    const entry =
      onlyIn === undefined ? specifier : ([specifier, { [ONLY_IN]: [onlyIn] }] as [string, object])
    const after = addPlugin(before ?? "", entry as Parameters<typeof addPlugin>[1], file)
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

/**
 * Plans the change that shows the panel in OpenCode 2; undefined if that has never run. It makes its file at its first start,
 * with the settings that OpenCode 1 had: one made by us would keep it from that.
 */
export async function planSecondPanel(
  location: ConfigLocation,
  specifierFor: SpecifierFor,
): Promise<InstallPlan | undefined> {
  const file = secondPanelFile(location)
  const [found] = await readConfigs([file])
  if (found === undefined) return undefined
  const given = specifierFor(file)
  // Of a folder it would take `tui.js` beside the package's own description.
  const specifier =
    isPath(given) && !given.endsWith(".js") ? `${given.replace(/[\\/]$/, "")}/dist/tui.js` : given
  const isOurs = (entry: string, at: string) => entry === specifier || isHiveMind(entry, at)
  const installed = findInstalled("project", [found], isOurs)
  const plan = { scope: "global" as const, file }
  if (installed !== undefined)
    return {
      ...plan,
      specifier: installed.entry.specifier,
      before: undefined,
      after: undefined,
      madeKey: false,
    }
  const after = addPlugin(found.text, specifier, file, PLUGIN_KEYS[1])
  return { ...plan, specifier, before: found.text, after, madeKey: found.entries === undefined }
}

/**
 * Makes `.hivemind/` (unless `setUpProject` is false), puts the change on record there, then makes it; a crash in
 * between leaves nothing to repair. Returns the paths that it made under `.hivemind/`.
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

/** Makes `.hivemind/`. Returns the paths that it made there. */
export function setUpHive(hiveHome: string): Promise<string[]> {
  return makeLayout(hiveHome, hivePaths(hiveHome).root)
}

async function makeLayout(hiveHome: string, root: string): Promise<string[]> {
  try {
    noteBefore(hiveHome)
    return [...(await createLayout(hiveHome)), ...(await writeOptionsSchema(hiveHome))]
  } catch (error) {
    throw explainWrite(error, "set up .hivemind/", root)
  }
}

/** Writes the schema of the options beside them, for editors. Returns the file if it is new. */
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
  // Of two edits of ours in a row, uninstall takes back both.
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
