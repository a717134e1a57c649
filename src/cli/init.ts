import { dirname, relative } from "node:path"
import type { Command } from "commander"
import { type HivePlace, locateHive } from "../hive/locate.ts"
import { HIVE_FOLDER, hasHive } from "../store/files/layout.ts"
import { applyInstall, type InstallPlan, planInstall } from "./install/install-plugin.ts"
import { type ConfigLocation, findInOtherScope } from "./install/opencode-config.ts"
import { ownSpecifier } from "./project/own-package.ts"
import { ask } from "./terminal/ask.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"

interface InitOptions {
  global?: boolean
  yes?: boolean
  plugin?: string
}

/** Adds the plugin to OpenCode's config and makes `.hivemind/`; touches nothing else. */
export const initCommand: CliCommand<InitOptions> = {
  configure(command: Command) {
    command
      .option("--global", "put the plugin into your user-wide OpenCode config, not the project's")
      .option("-y, --yes", "do not ask")
      .addOption(command.createOption("--plugin <specifier>", "what OpenCode loads").hideHelp())
  },

  async run({ dir: here, options, json, io }) {
    const scope = options.global === true ? "global" : "project"
    const { home, dir } = placeFor(here)
    const location: ConfigLocation = { projectDir: dir, hiveHome: home, home: io.home, env: io.env }
    const plan = await planInstall(scope, location, options.plugin ?? ownSpecifier())
    // A `.hivemind/` in the home folder would hold for everything below it; nobody asks for that by `--global`.
    const setUpProject = scope === "project" || home !== io.home
    const makesHive = setUpProject && !hasHive(home)
    const notes = await notesFor(plan, location, makesHive)

    if ((plan.after !== undefined || makesHive) && options.yes !== true && !json) {
      const question = `Set HiveMind up: ${plannedSteps(plan, location, makesHive).join(", ")}?`
      if (!(await ask(question, "init", io))) return declined(dir)
    }
    const made = await applyInstall(plan, home, setUpProject)
    return describe(plan, location, made, notes)
  },
}

/** In a repository there is one place for it. Elsewhere it is the folder that was asked for, also below another hive. */
function placeFor(here: string): HivePlace {
  const place = locateHive(here)
  return place.repository === null ? { home: here, dir: here } : place
}

function plannedSteps(
  plan: InstallPlan,
  { projectDir: dir, hiveHome }: ConfigLocation,
  makesHive: boolean,
): string[] {
  const steps = makesHive ? [`make ${HIVE_FOLDER}/ in ${hiveHome}`] : []
  if (plan.after === undefined) return steps
  const step = plan.before === undefined ? "make" : "edit"
  return [`${step} ${shown(plan, dir)} to load the plugin "${plan.specifier}"`, ...steps]
}

function describe(
  plan: InstallPlan,
  { projectDir: dir, hiveHome }: ConfigLocation,
  made: string[],
  notes: string[],
): CliResult {
  const change = plan.after === undefined ? "none" : plan.before === undefined ? "created" : "added"
  const changed = change !== "none" || made.length > 0
  const config = { file: plan.file, scope: plan.scope, change, plugin: plan.specifier }
  const flag = plan.scope === "global" ? " --global" : ""
  const created = made.map((path) => relative(hiveHome, path))
  const lines = [
    changed ? `HiveMind is set up in ${dir}.` : `Nothing to do: HiveMind is set up in ${dir} already.`,
    `  ${shown(plan, dir)}: ${CONFIG_CHANGE[change]}`,
    ...(made.length === 0 ? [] : [`  made ${created.join(", ")}`]),
    ...notes.map((note) => `Note: ${note}`),
    ...(changed ? [`Start \`opencode\` there. \`hivemind uninstall${flag}\` takes this back.`] : []),
  ]
  return { data: { changed, project: dir, config, created, notes }, text: lines.join("\n") }
}

const CONFIG_CHANGE = {
  none: "lists the plugin already",
  created: "made, with the plugin",
  added: "plugin added",
}

/** What a person may not expect: another project around this one, or the plugin loaded from elsewhere too. */
async function notesFor(plan: InstallPlan, location: ConfigLocation, makesHive: boolean): Promise<string[]> {
  const notes: string[] = []
  const above = makesHive ? locateHive(dirname(location.hiveHome)) : undefined
  if (above !== undefined && hasHive(above.home))
    notes.push(`${above.home} is set up too; in here, this one counts.`)
  if (location.hiveHome !== location.projectDir)
    notes.push(`plans and memories are in ${location.hiveHome}: all worktrees of a repository share them.`)
  const other = await findInOtherScope(plan.scope, location)
  if (other !== undefined) notes.push(`${other} loads HiveMind as well; one of the two is enough.`)
  return notes
}

function declined(dir: string): CliResult {
  return { data: { changed: false, project: dir }, text: "Nothing was changed.", trouble: true }
}

function shown({ scope, file }: InstallPlan, dir: string): string {
  return scope === "project" ? relative(dir, file) : file
}
