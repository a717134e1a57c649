import { dirname, isAbsolute, relative } from "node:path"
import type { Command } from "commander"
import { type HivePlace, locateHive } from "../hive/locate.ts"
import { HiveError } from "../shared/error.ts"
import { HIVE_FOLDER, hasHive } from "../store/files/layout.ts"
import { applyInstall, type InstallPlan, planInstall } from "./install/install-plugin.ts"
import { MCP_CLIENTS, type McpClient, mcpClientNamed, serverCommand } from "./install/mcp-clients.ts"
import { planMcpInstall } from "./install/mcp-install.ts"
import { type ConfigLocation, findInOtherScope } from "./install/opencode-config.ts"
import { ownPackage } from "./install/own-package.ts"
import { planPanel, planSecondPanel } from "./install/panel-config.ts"
import { isPath, pluginSpecifier } from "./install/plugin-specifier.ts"
import { ask } from "./terminal/ask.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"

interface InitOptions {
  global?: boolean
  mcp?: string
  yes?: boolean
  plugin?: string
  /** Undefined where nobody has said: then a person is asked. */
  panel?: boolean
}

/** Adds the plugin to OpenCode's config, or our server to another client's, and makes `.hivemind/`; touches nothing else. */
export const initCommand: CliCommand<InitOptions> = {
  configure(command: Command) {
    command
      .option("--global", "put the plugin into your user-wide OpenCode config, not the project's")
      .option(
        "--mcp <client>",
        `not for OpenCode but for another agent of this project: ${MCP_CLIENTS.map(({ name }) => name).join(", ")}`,
      )
      .option("-y, --yes", "do not ask; without `--panel` no panel is added")
      .option(
        "--panel",
        "also show HiveMind in the sidebar of OpenCode's terminal UI (tui.json; with --global also cli.json of OpenCode 2)",
      )
      .option("--no-panel", "do not, and do not ask about it")
      .option(
        "--plugin <specifier>",
        "what OpenCode loads: a package's name, or the path of one; by default what loads this copy",
      )
  },

  async run({ dir: here, options, io }) {
    const client = options.mcp === undefined ? undefined : mcpClientNamed(options.mcp)
    if (client !== undefined && options.global === true) throw notGlobal(client)
    if (client !== undefined && options.panel === true) throw noPanelFor(client)
    const scope = options.global === true ? "global" : "project"
    const { home, dir } = placeFor(here)
    const location: ConfigLocation = { projectDir: dir, hiveHome: home, home: io.home, env: io.env }
    const start = serverCommand(ownPackage(), dir)
    const specifierFor = (file: string) => options.plugin ?? pluginSpecifier(ownPackage(), dir, file)
    const plan =
      client === undefined
        ? await planInstall(scope, location, specifierFor)
        : await planMcpInstall(client, location, start)
    // A `.hivemind/` in the home folder would hold for everything below it; nobody asks for that by `--global`.
    const setUpProject = scope === "project" || home !== io.home
    const makesHive = setUpProject && !hasHive(home)
    const notes = await notesFor(plan, location, makesHive)
    if (client !== undefined && plan.after !== undefined) notes.push(...clientNotes(client, start))

    const asks = (plan.after !== undefined || makesHive) && options.yes !== true
    if (asks) {
      const question = `Set HiveMind up: ${plannedSteps(plan, location, makesHive).join(", ")}?`
      if (!(await ask(question, "init", io))) return declined(dir)
    }
    const panels = client === undefined ? await wantedPanels() : []
    const made = await applyInstall(plan, home, setUpProject)
    for (const panel of panels) await applyInstall(panel, home, setUpProject)
    return describe(plan, location, made, notes, client, panels)

    async function wantedPanels(): Promise<InstallPlan[]> {
      if (options.panel === false || (options.panel === undefined && !asks)) return []
      const second = await planSecondPanel(location, specifierFor)
      if (scope === "project" && second?.after !== undefined)
        notes.push(`OpenCode 2 has one list of panels for all projects: \`hivemind init --global --panel\`.`)
      const found = [
        await planPanel(scope, location, specifierFor),
        ...(scope === "project" || second === undefined ? [] : [second]),
      ]
      if (options.panel === true || found.every(({ after }) => after === undefined)) return found
      const files = found.map((each) => shown(each, dir)).join(", ")
      const question = `Show plan, task and warnings in OpenCode's sidebar too (${files})?`
      return (await ask(question, "init", io)) ? found : []
    }
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
  const what = plan.client === undefined ? "load the plugin" : "start"
  return [`${step} ${shown(plan, dir)} to ${what} "${plan.specifier}"`, ...steps]
}

function describe(
  plan: InstallPlan,
  { projectDir: dir, hiveHome }: ConfigLocation,
  made: string[],
  notes: string[],
  client: McpClient | undefined,
  panels: InstallPlan[],
): CliResult {
  const change = changeOf(plan)
  const changed = change !== "none" || made.length > 0 || panels.some((panel) => changeOf(panel) !== "none")
  const starts =
    client === undefined ? { plugin: plan.specifier } : { client: client.name, command: plan.specifier }
  const config = { file: plan.file, scope: plan.scope, change, ...starts }
  const flag = client !== undefined ? ` --mcp ${client.name}` : plan.scope === "global" ? " --global" : ""
  const begin = client === undefined ? "Start `opencode` there." : `Start ${client.title} there.`
  const created = made.map((path) => relative(hiveHome, path))
  const lines = [
    changed ? `HiveMind is set up in ${dir}.` : `Nothing to do: HiveMind is set up in ${dir} already.`,
    `  ${shown(plan, dir)}: ${CONFIG_CHANGE[change]}${client === undefined ? `the plugin, ${origin(plan)}` : "our server"}`,
    ...panels.map((panel) => `  ${shown(panel, dir)}: ${CONFIG_CHANGE[changeOf(panel)]}the panel`),
    ...(made.length === 0 ? [] : [`  made ${created.join(", ")}`]),
    ...notes.map((note) => `Note: ${note}`),
    ...(changed ? [`${begin} \`hivemind uninstall${flag}\` takes this back.`] : []),
  ]
  const [first, second] = panels.map((panel) => ({ file: panel.file, change: changeOf(panel) }))
  const shownPanel = { ...(first && { panel: first }), ...(second && { panel_opencode2: second }) }
  return { data: { changed, project: dir, config, ...shownPanel, created, notes }, text: lines.join("\n") }
}

function changeOf({ before, after }: InstallPlan): "none" | "created" | "added" {
  return after === undefined ? "none" : before === undefined ? "created" : "added"
}

/** Where OpenCode gets it from. */
function origin({ specifier }: InstallPlan): string {
  return isPath(specifier)
    ? `from this copy: ${specifier}`
    : `as "${specifier}", which OpenCode gets from the package registry`
}

const CONFIG_CHANGE = { none: "has it already: ", created: "made, with ", added: "added " }

function clientNotes({ note }: McpClient, { isShared }: { isShared: boolean }): string[] {
  return [
    ...(note === undefined ? [] : [note]),
    ...(isShared
      ? []
      : [
          "the entry names a path of this machine; where others use the file too, install hivemind-opencode in the project and run this again after `uninstall`.",
        ]),
    "commands (hivemind_shell, verify) run only where the client can ask you, or with `run_commands`: see docs/hosts.md.",
  ]
}

function notGlobal({ name }: McpClient): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "`--mcp` and `--global` do not go together.",
    why: "The entry for another agent goes into the project, where its team finds it.",
    use_instead: `Run \`hivemind init --mcp ${name}\` in the project.`,
    evidence: `--mcp ${name} --global`,
  })
}

function noPanelFor({ name, title }: McpClient): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "`--mcp` and `--panel` do not go together.",
    why: `The panel is for OpenCode's terminal UI; ${title} has none that could show it.`,
    use_instead: `Run \`hivemind init --mcp ${name}\`.`,
    evidence: `--mcp ${name} --panel`,
  })
}

/** What a person may not expect: another project around this one, or the plugin loaded from elsewhere too. */
async function notesFor(plan: InstallPlan, location: ConfigLocation, makesHive: boolean): Promise<string[]> {
  const notes: string[] = []
  const above = makesHive ? locateHive(dirname(location.hiveHome)) : undefined
  if (above !== undefined && hasHive(above.home))
    notes.push(`${above.home} is set up too; in here, this one counts.`)
  if (location.hiveHome !== location.projectDir)
    notes.push(`plans and memories are in ${location.hiveHome}: all worktrees of a repository share them.`)
  if (plan.client === undefined && plan.scope === "project" && isAbsolute(plan.specifier))
    notes.push(
      "the path is of this machine: where others use the file too, install hivemind-opencode in the project, or say with `--plugin` what it is for all.",
    )
  const other = plan.client === undefined ? await findInOtherScope(plan.scope, location) : undefined
  if (other !== undefined) notes.push(`${other} loads HiveMind as well; one of the two is enough.`)
  return notes
}

function declined(dir: string): CliResult {
  return { data: { changed: false, project: dir }, text: "Nothing was changed.", trouble: true }
}

function shown({ scope, file }: InstallPlan, dir: string): string {
  return scope === "project" ? relative(dir, file) : file
}
