import {
  type ConfigLayer,
  type ConfigOption,
  listOptions,
  loadConfig,
  mergeConfig,
  userConfigFile,
} from "../hive/load-config.ts"
import { type Located, locateHive } from "../hive/locate.ts"
import { configInOptions } from "../hive/plugin-options.ts"
import { firstIssue, tryParse } from "../schemas/checked.ts"
import { HiveError } from "../shared/error.ts"
import { hivePaths } from "../store/files/layout.ts"
import { readConfigFile, replaceConfigFile } from "./install/config-file.ts"
import { configFiles, findInstalled, readConfigs } from "./install/find-opencode-config.ts"
import { editJsonc } from "./install/jsonc.ts"
import { configLocation, openPlainHive, requireHive } from "./project/open-project.ts"
import { backUp } from "./project/person-change.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { requirePerson } from "./terminal/person.ts"

type ConfigOptions = { global?: boolean }

export const command: CliCommand<ConfigOptions> = {
  configure(config) {
    const actions = ["list", "get", "set", "unset"]
    config
      .addArgument(config.createArgument("[what]", "the action (default: list)").choices(actions))
      .argument("[option]", "the option's name, such as governance or snapshots.keep_days")
      .argument("[values...]", "with set: the value, or several values for a list")
      .option("--global", "with set and unset: for all your projects, not only this one")
  },

  help: `Examples: hivemind config set governance strict
          hivemind config set allow_commands "git push --force origin gh-pages"`,

  async run(input) {
    const [what = "list", name, ...values] = input.args
    if (what === "set" || what === "unset") {
      requirePerson(input.io, `\`hivemind config ${what}\``)
      return change(input, requireOption(name), what === "set" ? values : undefined)
    }
    const { style, io } = input
    const place = locateHive(input.dir)
    const files = { user: userConfigFile(io.env, io.home), project: hivePaths(place.home).config }
    const { config, problems, layers } = await loadConfig(files, await pluginLayer(place, io))
    const shown = what === "get" ? [requireOption(name)] : listOptions()
    const options = shown.map(({ name: option, path, description }) => {
      const value = valueIn(config, path)
      const sets = (layer: ConfigLayer) =>
        JSON.stringify(valueIn(layer.value, path)) === JSON.stringify(value)
      const from = layers.findLast(sets)?.name ?? null
      return { name: option, value, from, description }
    })
    return {
      data: { project: place.home, options, problems },
      text: [
        ...options.flatMap(({ name: option, value, from, description }) => [
          `${style("bold", option)} = ${JSON.stringify(value)}  ${style("dim", `(${from ?? "default"})`)}`,
          `    ${style("dim", description)}`,
        ]),
        ...problems.map((problem) => style("yellow", problem)),
      ],
    }
  },
}

/** The plugin's options in OpenCode's config. They override HiveMind's configuration files. */
async function pluginLayer(place: Located, io: CliInput["io"]): Promise<ConfigLayer> {
  const location = configLocation(place, io)
  for (const scope of ["project", "global"] as const) {
    const installed = findInstalled(scope, await readConfigs(configFiles(scope, location)))
    if (installed !== undefined)
      return { name: installed.file, value: configInOptions(installed.entry.options) }
  }
  return { name: "the plugin's options", value: undefined }
}

async function change(
  { dir, io, options: { global: isGlobal = false } }: CliInput<ConfigOptions>,
  option: ConfigOption,
  values: readonly string[] | undefined,
): Promise<CliResult> {
  const { name, path } = option
  const place = isGlobal ? locateHive(dir) : await requireHive(dir)
  const file = isGlobal ? userConfigFile(io.env, io.home) : hivePaths(place.home).config
  const plugin = await pluginLayer(place, io)
  if (valueIn(plugin.value, path) !== undefined)
    throw new HiveError({
      code: "conflict",
      what: `${name} was not changed.`,
      why: `The plugin's options in ${plugin.name} set it, and they override the configuration files.`,
      use_instead: `Change or remove ${name} in that file.`,
      evidence: plugin.name,
    })
  const value = values === undefined ? undefined : parseValue(option, values)
  if (value !== undefined) {
    const layer = { name: file, value: path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) }
    const [problem] = mergeConfig([{ ...layer, isProjects: !isGlobal }]).problems
    if (problem !== undefined)
      throw invalid(name, problem, "Pass `--global` to set it for all your projects.")
  }
  const before = await readConfigFile(file)
  const after = editJsonc(before ?? "", path, value === undefined ? { remove: true } : { set: value }, file)
  const isChanged = after !== (before ?? "")
  if (isChanged) await replaceConfigFile(file, before, after)
  const notes = isChanged && !isGlobal ? await backUpHive() : []
  return {
    data: { project: place.home, file, option: name, value: value ?? null },
    text: [
      value === undefined
        ? `${name} is no longer set in ${file}.`
        : `${name} = ${JSON.stringify(value)} in ${file}`,
      ...notes,
    ],
  }

  async function backUpHive(): Promise<string[]> {
    const { hive } = await openPlainHive(place, io, plugin.value, plugin.name)
    return backUp(hive).finally(hive.store.close)
  }
}

function parseValue({ name, schema, description }: ConfigOption, given: readonly string[]): unknown {
  const example = `${description} Example: \`hivemind config set ${name} <value>\`.`
  if (given.length === 0) throw invalid(name, "No value was given.", example)
  const values = given.map(jsonOrText)
  const tries = values.length === 1 ? [values[0], given[0], values, given] : [values, given]
  const parsed = tries.map((value) => tryParse(schema, value))
  const fitting = parsed.find(({ success }) => success)
  if (fitting?.success) return fitting.data
  const [first] = parsed
  throw invalid(name, first?.error === undefined ? "" : firstIssue(first.error), description)
}

function jsonOrText(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return given // Not JSON: most values are plain text.
  }
}

function valueIn(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )
}

function requireOption(name = ""): ConfigOption {
  const options = listOptions()
  const found = options.find((option) => option.name === name)
  if (found !== undefined) return found
  if (name === "") throw invalid(name, "No option was given.", LISTED)
  const group = options.filter(({ path }) => path[0] === name).map((option) => option.name)
  if (group.length === 0) throw invalid(name, "There is no such option.", LISTED)
  throw invalid(name, `${name} is a group of options.`, `Name one of these options: ${group.join(", ")}.`)
}

function invalid(name: string, why: string, use_instead: string): HiveError {
  const what = name === "" ? "An option is missing." : `${name} was not read or changed.`
  const evidence = `option ${name || "(none)"}`
  return new HiveError({ code: "invalid_argument", what, why, use_instead, evidence })
}

const LISTED = "`hivemind config` lists all options."
