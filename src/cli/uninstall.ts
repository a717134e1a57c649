import { basename } from "node:path"
import type { Command } from "commander"
import { locateHive } from "../hive/locate.ts"
import { existsSync } from "../store/files/hive-fs.ts"
import { HIVE_FOLDER, hasHive, hivePaths } from "../store/files/layout.ts"
import { findHiveData, type HiveData } from "../sync/backup.ts"
import { LOG_REF, REFS } from "../sync/ref.ts"
import { ALL } from "./init-agents.ts"
import { AGENT_PLUGINS, type AgentPlugin, installedAgents, uninstallAgent } from "./install/agent-plugins.ts"
import { type ConfigLocation, type ConfigScope, findInOtherScope } from "./install/find-opencode-config.ts"
import { recordedFile } from "./install/install-record.ts"
import { MCP_CLIENTS } from "./install/mcp-clients.ts"
import {
  applyRemoval,
  planMcpRemoval,
  planProjectRemoval,
  planRemoval,
  purge,
  type Removal,
} from "./install/removal.ts"
import { configLocation } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
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

/** Takes HiveMind out of OpenCode's config and that of other clients again; its data stays unless `--purge`. */
export const command: CliCommand<UninstallOptions> = {
  configure(uninstall: Command) {
    uninstall
      .option("--global", "take it out of your user-wide OpenCode config for all projects")
      .addOption(
        choiceOption(
          "--mcp <client>",
          "take it out of that client's config only",
          MCP_CLIENTS.map(({ name }) => name),
        ),
      )
      .addOption(
        choiceOption("--agent <agent>", "uninstall the plugin of that agent only", [
          ...AGENT_PLUGINS.map(({ name }) => name),
          ALL,
        ]).conflicts(["global", "mcp", "purge"]),
      )
      .option("--purge", `also delete ${HIVE_FOLDER}/, snapshots, the backup and the log in refs/hivemind`)
      .option("-y, --yes", "do not ask")
      .option("--plugin <specifier>", "also take out this entry, as `init --plugin` made it")
  },

  async run({ dir: here, options, io }) {
    // Scripts of people uninstall too, so no terminal is asked for.
    requirePerson(io, "Uninstalling")
    const scope = options.global === true ? "global" : "project"
    // A hive below another one, or in a linked worktree, can be taken away by naming it.
    const place = hasHive(here) ? { home: here, dir: here } : locateHive(here)
    const { home } = place
    const location = configLocation(place, io)
    const client = MCP_CLIENTS.find(({ name }) => name === options.mcp)
    const isOneAgent = options.agent !== undefined && options.agent !== ALL
    const isAll = client === undefined && scope === "project"
    const agents = (isAll ? await installedAgents(location) : []).filter(
      ({ name }) => !isOneAgent || name === options.agent,
    )
    const removals =
      options.agent !== undefined
        ? []
        : client !== undefined
          ? await planMcpRemoval(location, [client])
          : [
              ...(await planRemoval(scope, location, options.plugin)),
              ...(scope === "project" ? await planProjectRemoval(location) : []),
              ...(scope === "project" ? await planMcpRemoval(location) : []),
            ]
    const kept = options.purge === true ? await findHiveData({ home, dir: place.dir }) : NOTHING
    const purged = kept.folders.length + kept.refs.length > 0
    const changed = removals.length + agents.length > 0 || purged
    const planned = (tense: "todo" | "done") => [
      ...agents.map((agent) => AGENT_STEP[tense](agent)),
      ...steps(removals, kept, tense),
    ]

    if (changed && options.yes !== true) {
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
    // One client's entry says nothing of OpenCode's.
    const isPart = client !== undefined || options.agent !== undefined
    const notes = [...(!isPart ? await notesFor(scope, location) : []), ...notesOnPurge(kept)]
    return {
      data: {
        changed,
        project: home,
        agents: agents.map(({ name }) => name),
        files: removals.map(({ file, change }) => ({ file, change })),
        purged,
        notes,
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

const STEP = {
  restored: { todo: "restore the earlier content:", done: "restored the earlier content:" },
  deleted: { todo: "delete files made by init:", done: "deleted files made by init:" },
  entry_removed: { todo: "take our entry out of", done: "took our entry, and nothing else, out of" },
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

function notesOnPurge({ refs, remotes, others }: HiveData): string[] {
  const notes = remotes.map(
    (remote) =>
      `${remote} keeps its copy of the shared log, and so do other clones; \`git push ${remote} --delete ${LOG_REF}\` deletes it there.`,
  )
  if (refs.length > 0)
    notes.unshift(
      "no branch or tag contains the commits of these refs now; git deletes them for good with `git gc --prune=now`.",
    )
  if (others.length > 0)
    notes.push(`snapshots and the shared log are kept: the hive in ${others.join(", ")} uses them.`)
  return notes
}

async function notesFor(scope: ConfigScope, location: ConfigLocation): Promise<string[]> {
  const { root } = hivePaths(location.hiveHome)
  const other = await findInOtherScope(scope, location)
  const how = scope === "project" ? "`hivemind uninstall --global`" : "`hivemind uninstall`"
  return [
    ...(existsSync(root) ? [`${root} is kept; \`--purge\` deletes it, with all plans and memories.`] : []),
    ...(other === undefined ? [] : [`${other} still loads HiveMind; ${how} takes it out there.`]),
  ]
}

const NOTHING: HiveData = { folders: [], refs: [], remotes: [], others: [] }
