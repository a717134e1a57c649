import { dirname, isAbsolute, relative } from "node:path"
import { agentFolders, describeSessions, findSessions, pastSessionsOffer } from "../history/find-sessions.ts"
import { type HivePlace, locateHive, realPath } from "../hive/locate.ts"
import { askGit } from "../project/git/git.ts"
import { HiveError } from "../shared/error.ts"
import { HIVE_FOLDER, hasHive } from "../store/files/layout.ts"
import { sessionsCommand } from "./import-sessions.ts"
import { AGENT_NAMES, initAgents } from "./init-agents.ts"
import { findInOtherScope, isPath } from "./install/find-opencode-config.ts"
import { CLIENT_NAMES, MCP_CLIENTS, planMcpInstall } from "./install/mcp-clients.ts"
import { ownPackage, pluginSpecifier, serverCommand } from "./install/own-package.ts"
import { applyInstall, type InstallPlan, planInstall, planSecondPanel } from "./install/write-config.ts"
import { backupNote, configLocation } from "./project/open-project.ts"
import { type CliCommand, type CliInput, type CliResult, type Line, textLines } from "./terminal/command.ts"
import { choiceOption } from "./terminal/options.ts"
import { ask, declined } from "./terminal/person.ts"

interface InitOptions {
  global?: boolean
  team?: boolean
  mcp?: string
  agent?: string
  yes?: boolean
  plugin?: string
  panel?: boolean
}

/** By default, adds the plugin to the user's own OpenCode config, for this project only: git cannot remove it there. */
export const command: CliCommand<InitOptions> = {
  configure(init) {
    const team = "put the plugin into the project's own config, for all users of the repository"
    const mcp = "set up an MCP client of this project instead of OpenCode"
    const agent = "set up that agent, by its own plugin installer, instead of OpenCode"
    const panel =
      "also show HiveMind in the sidebar of OpenCode's terminal UI (tui.json; with --global also cli.json of OpenCode 2)"
    const plugin = "the package that OpenCode loads: its name or path (default: this copy)"
    init
      .option("--global", "load the plugin in every project, not only in this one")
      .addOption(init.createOption("--team", team).conflicts(["global", "mcp"]))
      .addOption(choiceOption("--mcp <client>", mcp, CLIENT_NAMES).conflicts(["global", "panel"]))
      .addOption(
        choiceOption("--agent <agent>", agent, AGENT_NAMES).conflicts(["global", "team", "mcp", "panel"]),
      )
      .option("-y, --yes", "do not ask for confirmation; without `--panel` no panel is added")
      .option("--panel", panel)
      .option("--no-panel", "do not add the panel, and do not ask about it")
      .option("--plugin <specifier>", plugin)
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
    // `--global` in the home folder makes no `.hivemind/`: a hive there would apply to every folder below it.
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

    async function offerPastSessions(): Promise<Line[]> {
      const folders = agentFolders(io.env, io.home)
      const offer = await pastSessionsOffer(locateHive(dir), folders)
      if (offer === undefined) return []
      if (!asks) return [`Note: ${offer}`]
      const found = await findSessions(locateHive(dir), folders)
      const question = `Read ${describeSessions(found)} of this project, and keep what they teach as unconfirmed records?`
      if (!(await ask(question, "init", io, false))) return [offer]
      const done = await sessionsCommand.run({ args: [], options: {}, dir, json: false, io, style })
      return textLines([done?.text].flat())
    }

    async function planPlugin(): Promise<InstallPlan> {
      if (options.global === true) return planInstall("global", location, specifierFor)
      const inProject = await planInstall("project", location, specifierFor)
      if (inProject.after === undefined) return inProject
      if (options.team !== true) return planInstall("global", location, specifierFor, { onlyIn })
      if (options.plugin === undefined && isAbsolute(inProject.specifier))
        throw new HiveError({
          code: "invalid_argument",
          what: "The project's config was not changed.",
          why: "OpenCode would load this copy of HiveMind from a folder that is only on this machine.",
          use_instead:
            "Install hivemind-opencode in the project (`npm install --save-dev hivemind-opencode`, or its .tgz file) and run `npx hivemind init --team`; or pass a package name that OpenCode can install on every machine: `--plugin hivemind-opencode`.",
          evidence: inProject.specifier,
        })
      return inProject
    }

    async function wantedPanels(): Promise<InstallPlan[]> {
      if (options.panel === false || (options.panel === undefined && !asks)) return []
      const isForAll = options.global === true
      const second = await planSecondPanel(location, specifierFor)
      if (!isForAll && second?.after !== undefined)
        notes.push("OpenCode 2 has one panel list for all projects: run `hivemind init --global --panel`.")
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

    async function notesFor({ after, scope, file }: InstallPlan): Promise<string[]> {
      const above = makesHive ? locateHive(dirname(home)).home : home
      const lines = [
        makesHive && (await backupNote({ home, dir })),
        above !== home && hasHive(above) && `${above} is set up too, but this folder now has its own hive.`,
        home !== dir && `plans and memories are in ${home}: all worktrees of a repository share them.`,
      ]
      if (client !== undefined) {
        const isNew = after !== undefined
        const clientNotes = [client.note, !start.isShared && LOCAL_PATH_NOTE, COMMANDS_NOTE]
        return textLines([...lines, ...(isNew ? clientNotes : [])])
      }
      // `git ls-files` gets the exact path, because a symbolic link may lead out of the project.
      const isThere = scope === "project" && after === undefined
      const isUntracked = isThere && (await askGit(dir, ["ls-files", "--", file])) === ""
      const other = await findInOtherScope(scope, location)
      return textLines([
        ...lines,
        isUntracked &&
          `git does not track ${relative(dir, file)}: a new worktree, \`git stash -u\` and \`git clean\` leave OpenCode without it. Commit it, or run \`hivemind uninstall\` and \`hivemind init\`.`,
        other && `${other} loads HiveMind as well; one of the two is enough.`,
      ])
    }

    function describe(created: string[], past: Line[]): CliResult {
      const change = changeOf(plan)
      const changed = created.length > 0 || [plan, ...panels].some((each) => changeOf(each) !== "none")
      const isForAll = plan.scope === "global" && plan.onlyIn === undefined
      const flag = client !== undefined ? ` --mcp ${client.name}` : isForAll ? " --global" : ""
      const limit = plan.onlyIn === undefined ? "" : " for this project"
      const { file, scope, specifier } = plan
      const origin = isPath(specifier)
        ? `from this copy: ${specifier}`
        : `as "${specifier}", which OpenCode gets from the package registry`
      const entry = client === undefined ? `the plugin${limit}, ${origin}` : "the HiveMind server"
      const program = client === undefined ? "`opencode`" : client.title
      const names = created.map((path) => relative(home, path))
      const [first, second] = panels.map((panel) => ({ file: panel.file, change: changeOf(panel) }))
      const loaded =
        client === undefined ? { plugin: specifier } : { client: client.name, command: specifier }
      return {
        data: {
          changed,
          project: dir,
          config: { file, scope, change, ...loaded },
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
          names.length > 0 && `  made ${names.join(", ")}`,
          ...notes.map((note) => `Note: ${note}`),
          changed && `Start ${program} there. \`hivemind uninstall${flag}\` takes this back.`,
          ...past,
        ],
      }
    }

    function shownFile({ scope, file }: InstallPlan): string {
      return scope === "project" ? relative(dir, file) : file
    }
  },
}

/** Chooses the folder for `.hivemind/`: one fixed folder per repository, else the given folder, even inside another hive's. */
function placeFor(here: CliInput["dir"]): HivePlace {
  const place = locateHive(here)
  return place.repository === null ? { home: here, dir: here } : place
}

function changeOf({ before, after }: InstallPlan): "none" | "created" | "added" {
  return after === undefined ? "none" : before === undefined ? "created" : "added"
}

const CONFIG_CHANGE = { none: "already has ", created: "created, with ", added: "added " }
const LOCAL_PATH_NOTE =
  "the entry contains a path of this machine. If others use the file too, install hivemind-opencode in the project, run `hivemind uninstall`, then this command again."
const COMMANDS_NOTE =
  "the agent can run commands (hivemind_shell, a task's check) only if its client asks you first, or if the option `run_commands` allows it: see docs/hosts.md."
