import { basename } from "node:path"
import { locateHive } from "../hive/locate.ts"
import { existsSync } from "../store/files/hive-fs.ts"
import { HIVE_FOLDER, hasHive, hivePaths } from "../store/files/layout.ts"
import { findHiveData, type HiveData } from "../sync/backup.ts"
import { LOG_REF, REFS } from "../sync/ref.ts"
import { AGENT_NAMES, ALL } from "./init-agents.ts"
import { type AgentPlugin, installedAgents, uninstallAgent } from "./install/agent-plugins.ts"
import { type ConfigLocation, type ConfigScope, findInOtherScope } from "./install/find-opencode-config.ts"
import { recordedFile } from "./install/install-record.ts"
import { CLIENT_NAMES, MCP_CLIENTS } from "./install/mcp-clients.ts"
import {
  applyRemoval,
  planMcpRemoval,
  planProjectRemoval,
  planRemoval,
  purge,
  type Removal,
} from "./install/removal.ts"
import { configLocation } from "./project/open-project.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { choiceOption } from "./terminal/options.ts"
import { ask, declined, requirePerson } from "./terminal/person.ts"

interface UninstallOptions {
  global?: boolean
  mcp?: string
  agent?: string
  purge?: boolean
  yes?: boolean
  plugin?: string
}

export const command: CliCommand<UninstallOptions> = {
  configure(uninstall) {
    const agent = choiceOption("--agent <agent>", "uninstall the plugin of that agent only", AGENT_NAMES)
    uninstall
      .option("--global", "remove it from your user-wide OpenCode config for all projects")
      .addOption(choiceOption("--mcp <client>", "remove it from that client's config only", CLIENT_NAMES))
      .addOption(agent.conflicts(["global", "mcp", "purge"]))
      .option("--purge", `also delete ${HIVE_FOLDER}/, snapshots, the backup and the log in refs/hivemind`)
      .option("-y, --yes", "do not ask for confirmation")
      .option("--plugin <specifier>", "also remove this entry, which `init --plugin` made")
  },

  async run({ dir: here, options, io, json }) {
    // Refuses an agent, but needs no terminal, because people also uninstall with scripts.
    requirePerson(io, "Uninstalling")
    const scope = options.global === true ? "global" : "project"
    // If the given folder has its own hive, that one is uninstalled, even below another hive or in a linked worktree.
    const place = hasHive(here) ? { home: here, dir: here } : locateHive(here)
    const { home } = place
    const location = configLocation(place, io)
    const client = MCP_CLIENTS.find(({ name }) => name === options.mcp)
    const isAll = client === undefined && scope === "project"
    const isMeant = ({ name }: AgentPlugin) => [undefined, ALL, name].includes(options.agent)
    const agents = isAll ? (await installedAgents(location)).filter(isMeant) : []
    const removals = await removalsFor(options, scope, location)
    const kept = options.purge === true ? await findHiveData({ home, dir: place.dir }) : NOTHING
    const purged = kept.folders.length + kept.refs.length > 0
    const changed = removals.length + agents.length > 0 || purged
    const planned = (tense: "todo" | "done") => [
      ...agents.map((agent) => AGENT_STEP[tense](agent)),
      ...steps(removals, kept, tense),
    ]

    if (changed && options.yes !== true) {
      const [shared] = sharedNote(kept)
      if (shared !== undefined && !json) io.stderr.write(`Note: ${shared}\n`)
      const question = `Uninstall HiveMind: ${planned("todo").join(", ")}?`
      if (!(await ask(question, "uninstall", io, !purged))) return declined({ changed: false, project: home })
    }
    const files = removals.map(({ file }) => file)
    for (const agent of agents) await uninstallAgent(agent, location)
    if (options.agent === undefined)
      await applyRemoval(removals, home, (change) =>
        client === undefined
          ? change.scope === scope || files.includes(recordedFile(home, change))
          : change.client === client.name,
      )
    if (purged) await purge({ home, dir: place.dir }, kept)
    const isPart = client !== undefined || options.agent !== undefined
    const notes = [
      ...keptNote(location),
      ...(isPart ? [] : await otherScopeNote(scope, location)),
      ...notesOnPurge(kept),
    ]
    const changedFiles = removals.map(({ file, change }) => ({ file, change }))
    const names = agents.map(({ name }) => name)
    return {
      data: {
        ...{ changed, project: home, agents: names, files: changedFiles, purged, notes },
        ...(purged && { worktrees: kept.worktrees }),
      },
      text: [
        ...(changed
          ? ["HiveMind is uninstalled.", ...planned("done").map((step) => `  ${step}`)]
          : [`Nothing to do: no config here loads HiveMind (${home}).`]),
        ...notes.map((note) => `Note: ${note}`),
      ],
    }
  },
}

async function removalsFor({ agent, mcp, plugin }: UninstallOptions, scope: ConfigScope, at: ConfigLocation) {
  if (agent !== undefined) return []
  if (mcp !== undefined)
    return planMcpRemoval(
      at,
      MCP_CLIENTS.filter(({ name }) => name === mcp),
    )
  const ofScope = await planRemoval(scope, at, plugin)
  if (scope === "global") return ofScope
  return [...ofScope, ...(await planProjectRemoval(at)), ...(await planMcpRemoval(at))]
}

const STEP = {
  restored: { todo: "restore the earlier content:", done: "restored the earlier content:" },
  deleted: { todo: "delete files made by init:", done: "deleted files made by init:" },
  entry_removed: { todo: "remove HiveMind's entry from", done: "removed only HiveMind's entry from" },
  purged: { todo: "delete all plans and memories:", done: "deleted all plans and memories:" },
  store: { todo: "delete snapshots and the backup:", done: "deleted snapshots and the backup:" },
  refs: { todo: "delete the log in this repository:", done: "deleted the log in this repository:" },
  shared: {
    todo: "delete the log that is shared with others, in this repository only:",
    done: "deleted the log that was shared with others, in this repository only:",
  },
}

const AGENT_STEP = {
  todo: ({ title, uninstall, program, scope }: AgentPlugin) =>
    `take the plugin out of ${title}${scope === "user" ? " for all projects" : ""} (${uninstall.map((args) => [program, ...args].join(" ")).join("; ")})`,
  done: ({ title }: AgentPlugin) => `took the plugin out of ${title}, with its own uninstaller`,
}

function steps(removals: Removal[], { folders, refs, remotes }: HiveData, tense: "todo" | "done"): string[] {
  return [
    ...removals.map(({ file, change }) => `${STEP[change][tense]} ${file}`),
    ...folders.map((path) => `${STEP[basename(path) === HIVE_FOLDER ? "purged" : "store"][tense]} ${path}`),
    ...(refs.length > 0 ? [`${STEP[remotes.length > 0 ? "shared" : "refs"][tense]} ${REFS}/*`] : []),
  ]
}

function sharedNote({ worktrees }: HiveData): string[] {
  if (worktrees.length === 0) return []
  return [
    `all worktrees of this repository share the hive, so purging it takes it from ${worktrees.join(", ")} too.`,
  ]
}

function notesOnPurge(data: HiveData): string[] {
  const { refs, remotes, others } = data
  return textLines([
    ...sharedNote(data),
    refs.length > 0 &&
      "the commits of these refs are still on disk; `git gc --prune=now` deletes them for good.",
    ...remotes.map(
      (remote) =>
        `${remote} keeps its copy of the shared log, and so do other clones; \`git push ${remote} --delete ${LOG_REF}\` deletes it there.`,
    ),
    others.length > 0 && `snapshots and the shared log are kept: the hive in ${others.join(", ")} uses them.`,
  ])
}

function keptNote({ hiveHome }: ConfigLocation): string[] {
  const { root } = hivePaths(hiveHome)
  return existsSync(root)
    ? [`${root} is kept; \`hivemind uninstall --purge\` deletes it, with all plans and memories.`]
    : []
}

async function otherScopeNote(scope: ConfigScope, location: ConfigLocation): Promise<string[]> {
  const other = await findInOtherScope(scope, location)
  const how = scope === "project" ? "`hivemind uninstall --global`" : "`hivemind uninstall`"
  return other ? [`${other} still loads HiveMind; ${how} removes it there.`] : []
}

const NOTHING: HiveData = { folders: [], refs: [], remotes: [], others: [], worktrees: [] }
