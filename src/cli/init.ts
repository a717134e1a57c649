import { dirname, isAbsolute, relative } from "node:path"
import type { Command } from "commander"
import { agentFolders, findSessions } from "../history/find-sessions.ts"
import { describeSessions, pastSessionsOffer } from "../history/offer.ts"
import { type HivePlace, locateHive, realPath } from "../hive/locate.ts"
import { askGit } from "../project/git/git.ts"
import { HiveError } from "../shared/error.ts"
import { HIVE_FOLDER, hasHive } from "../store/files/layout.ts"
import { sessionsCommand } from "./import-sessions.ts"
import { ALL, initAgents } from "./init-agents.ts"
import { AGENT_PLUGINS } from "./install/agent-plugins.ts"
import { findInOtherScope, isPath } from "./install/find-opencode-config.ts"
import { MCP_CLIENTS, planMcpInstall } from "./install/mcp-clients.ts"
import { ownPackage, pluginSpecifier, serverCommand } from "./install/own-package.ts"
import { applyInstall, type InstallPlan, planInstall, planSecondPanel } from "./install/write-config.ts"
import { configLocation } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { choiceOption } from "./terminal/options.ts"
import { ask, declined } from "./terminal/person.ts"

interface InitOptions {
  global?: boolean
  team?: boolean
  mcp?: string
  agent?: string
  yes?: boolean
  plugin?: string
  /** Undefined if it was not said: then a person is asked. */
  panel?: boolean
}

/**
 * Adds the plugin to OpenCode's config, or our server to another client's, and makes `.hivemind/`; touches nothing else. By
 * default the entry goes into the user's own config, for this project only: there no git command can take it away.
 */
export const command: CliCommand<InitOptions> = {
  configure(init: Command) {
    init
      .option("--global", "load the plugin in every project, not in this one only")
      .addOption(
        init
          .createOption(
            "--team",
            "put the plugin into the project's own config, for all users of the repository",
          )
          .conflicts(["global", "mcp"]),
      )
      .addOption(
        choiceOption(
          "--mcp <client>",
          "not for OpenCode but for another agent of this project",
          MCP_CLIENTS.map(({ name }) => name),
        ).conflicts(["global", "panel"]),
      )
      .addOption(
        choiceOption(
          "--agent <agent>",
          "not for OpenCode but for an agent with hooks, as its plugin: state, gate, snapshots and tools",
          [...AGENT_PLUGINS.map(({ name }) => name), ALL],
        ).conflicts(["global", "team", "mcp", "panel"]),
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

  async run({ dir: here, options, io, style }) {
    const client = MCP_CLIENTS.find(({ name }) => name === options.mcp)
    const { home, dir } = placeFor(here)
    const location = configLocation({ home, dir }, io)
    if (options.agent !== undefined)
      return initAgents(options.agent, location, { io, isAsked: options.yes !== true })
    const start = serverCommand(ownPackage(), dir)
    const specifierFor = (file: string) => options.plugin ?? pluginSpecifier(ownPackage(), dir, file)
    const onlyIn = options.global === true || options.team === true ? undefined : realPath(home)
    const plan = client === undefined ? await planPlugin() : await planMcpInstall(client, location, start)
    // A `.hivemind/` in the home folder would apply to every folder below it, and `--global` does not ask for that.
    const setUpProject = options.global !== true || home !== io.home
    const makesHive = setUpProject && !hasHive(home)
    const notes = await notesFor(plan)

    const asks = (plan.after !== undefined || makesHive) && options.yes !== true
    if (asks && !(await ask(`Set HiveMind up: ${plannedSteps().join(", ")}?`, "init", io)))
      return declined({ changed: false, project: dir })
    const panels = client === undefined ? await wantedPanels() : []
    const made = await applyInstall(plan, home, setUpProject)
    for (const panel of panels) await applyInstall(panel, home, setUpProject)
    return describe(made, setUpProject ? await offerPastSessions() : [])

    /** A person is asked; else it is only said that there are some. */
    async function offerPastSessions(): Promise<string[]> {
      const folders = agentFolders(io.env, io.home)
      const offer = await pastSessionsOffer(locateHive(dir), folders)
      if (offer === undefined) return []
      if (!asks) return [`Note: ${offer}`]
      const found = await findSessions(locateHive(dir), folders)
      const question = `Read ${describeSessions(found)} of this project, and keep what they teach as unconfirmed records?`
      if (!(await ask(question, "init", io, false))) return [offer]
      const done = await sessionsCommand.run({ args: [], options: {}, dir, json: false, io, style })
      return [done?.text ?? []].flat()
    }

    /** An entry in the project's own config is enough. Else it goes where git does not reach. */
    async function planPlugin(): Promise<InstallPlan> {
      if (options.global === true) return planInstall("global", location, specifierFor)
      const inProject = await planInstall("project", location, specifierFor)
      if (inProject.after === undefined) return inProject
      if (options.team !== true) return planInstall("global", location, specifierFor, { onlyIn })
      if (options.plugin === undefined && isAbsolute(inProject.specifier))
        throw notForTeam(inProject.specifier)
      return inProject
    }

    async function wantedPanels(): Promise<InstallPlan[]> {
      if (options.panel === false || (options.panel === undefined && !asks)) return []
      const isForAll = options.global === true
      const second = await planSecondPanel(location, specifierFor)
      if (!isForAll && second?.after !== undefined)
        notes.push("OpenCode 2 has one list of panels for all projects: `hivemind init --global --panel`.")
      const limit = plan.scope === "global" ? onlyIn : undefined
      const found = [
        await planInstall(plan.scope, location, specifierFor, { onlyIn: limit, panel: true }),
        ...(isForAll && second !== undefined ? [second] : []),
      ]
      if (options.panel === true || found.every(({ after }) => after === undefined)) return found
      const question = `Show plan, task and warnings in OpenCode's sidebar too (${found.map(shownFile).join(", ")})?`
      return (await ask(question, "init", io)) ? found : []
    }

    function plannedSteps(): string[] {
      const steps = makesHive ? [`make ${HIVE_FOLDER}/ in ${home}`] : []
      if (plan.after === undefined) return steps
      const step = plan.before === undefined ? "make" : "edit"
      const what = client === undefined ? "load the plugin" : "start"
      const where = plan.onlyIn === undefined ? "" : " for this project"
      return [`${step} ${shownFile(plan)} to ${what} "${plan.specifier}"${where}`, ...steps]
    }

    /** Unexpected findings: another project around this one, or the plugin loaded from elsewhere too. */
    async function notesFor({ after, scope, file }: InstallPlan): Promise<string[]> {
      const lines: string[] = []
      const above = makesHive ? locateHive(dirname(home)) : undefined
      if (above !== undefined && hasHive(above.home))
        lines.push(`${above.home} is set up too; in here, this one counts.`)
      if (home !== dir)
        lines.push(`plans and memories are in ${home}: all worktrees of a repository share them.`)
      if (client !== undefined) {
        if (after === undefined) return lines
        if (client.note !== undefined) lines.push(client.note)
        if (!start.isShared) lines.push(LOCAL_PATH_NOTE)
        return [...lines, COMMANDS_NOTE]
      }
      // A link may lead out of the project, so git is asked about the file itself.
      const isThere = scope === "project" && after === undefined
      if (isThere && (await askGit(dir, ["ls-files", "--", file])) === "")
        lines.push(
          `git does not track ${relative(dir, file)}: a new worktree, \`git stash -u\` and \`git clean\` leave OpenCode without it. Commit it, or run \`hivemind uninstall\` and \`hivemind init\`.`,
        )
      const other = await findInOtherScope(scope, location)
      if (other !== undefined) lines.push(`${other} loads HiveMind as well; one of the two is enough.`)
      return lines
    }

    function describe(created: string[], past: string[]): CliResult {
      const change = changeOf(plan)
      const changed = created.length > 0 || [plan, ...panels].some((each) => changeOf(each) !== "none")
      const isForAll = plan.scope === "global" && plan.onlyIn === undefined
      const flag = client !== undefined ? ` --mcp ${client.name}` : isForAll ? " --global" : ""
      const limit = plan.onlyIn === undefined ? "" : " for this project"
      const entry = client === undefined ? `the plugin${limit}, ${origin(plan.specifier)}` : "our server"
      const names = created.map((path) => relative(home, path))
      const [first, second] = panels.map((panel) => ({ file: panel.file, change: changeOf(panel) }))
      return {
        data: {
          changed,
          project: dir,
          config: {
            file: plan.file,
            scope: plan.scope,
            change,
            ...(client === undefined
              ? { plugin: plan.specifier }
              : { client: client.name, command: plan.specifier }),
          },
          ...(first && { panel: first }),
          ...(second && { panel_opencode2: second }),
          created: names,
          notes,
          past_sessions: past,
        },
        text: [
          changed ? `HiveMind is set up in ${dir}.` : `Nothing to do: HiveMind is set up in ${dir} already.`,
          `  ${shownFile(plan)}: ${CONFIG_CHANGE[change]}${entry}`,
          ...panels.map((panel) => `  ${shownFile(panel)}: ${CONFIG_CHANGE[changeOf(panel)]}the panel`),
          ...(names.length === 0 ? [] : [`  made ${names.join(", ")}`]),
          ...notes.map((note) => `Note: ${note}`),
          ...(changed
            ? [
                `Start ${client === undefined ? "`opencode`" : client.title} there. \`hivemind uninstall${flag}\` takes this back.`,
              ]
            : []),
          ...past,
        ],
      }
    }

    function shownFile({ scope, file }: InstallPlan): string {
      return scope === "project" ? relative(dir, file) : file
    }
  },
}

/** In a repository there is one place for it. Elsewhere it is the folder that was asked for, also below another hive. */
function placeFor(here: CliInput["dir"]): HivePlace {
  const place = locateHive(here)
  return place.repository === null ? { home: here, dir: here } : place
}

function changeOf({ before, after }: InstallPlan): "none" | "created" | "added" {
  return after === undefined ? "none" : before === undefined ? "created" : "added"
}

/** Where OpenCode gets it from. */
function origin(specifier: string): string {
  return isPath(specifier)
    ? `from this copy: ${specifier}`
    : `as "${specifier}", which OpenCode gets from the package registry`
}

function notForTeam(path: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "The project's config was not changed.",
    why: "OpenCode would load this copy of HiveMind from a folder that is only on this machine.",
    use_instead:
      "Install hivemind-opencode in the project (`npm install --save-dev hivemind-opencode`, or its .tgz file) and run `npx hivemind init --team`; or pass a package name that OpenCode can install on every machine: `--plugin hivemind-opencode`.",
    evidence: path,
  })
}

const CONFIG_CHANGE = { none: "has it already: ", created: "made, with ", added: "added " }
const LOCAL_PATH_NOTE =
  "the entry names a path of this machine; if others use the file too, install hivemind-opencode in the project and run this again after `uninstall`."
const COMMANDS_NOTE =
  "commands (hivemind_shell, verify) run only if the client can ask you, or with `run_commands`: see docs/hosts.md."
