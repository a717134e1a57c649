import { basename } from "node:path"
import type { Command } from "commander"
import { locateHive } from "../hive/locate.ts"
import { existsSync } from "../store/files/hive-fs.ts"
import { HIVE_FOLDER, hasHive, hivePaths } from "../store/files/layout.ts"
import { findKept, type Kept } from "../sync/purge.ts"
import { LOG_REF, REFS } from "../sync/ref.ts"
import { mcpClientNamed } from "./install/mcp-clients.ts"
import { planMcpRemoval } from "./install/mcp-install.ts"
import { type ConfigLocation, type ConfigScope, findInOtherScope } from "./install/opencode-config.ts"
import { applyRemoval, planRemoval, purge, type Removal } from "./install/remove-plugin.ts"
import { ask } from "./terminal/ask.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { requirePerson } from "./terminal/require-person.ts"

interface UninstallOptions {
  global?: boolean
  mcp?: string
  purge?: boolean
  yes?: boolean
  plugin?: string
}

/** Takes HiveMind out of OpenCode's config and that of other clients again; what it has kept stays unless `--purge`. */
export const uninstallCommand: CliCommand<UninstallOptions> = {
  configure(command: Command) {
    command
      .option("--global", "take it out of your user-wide OpenCode config, not the project's")
      .option("--mcp <client>", "take it out of that client's config only")
      .option("--purge", `also delete ${HIVE_FOLDER}/, snapshots, the backup and the log in refs/hivemind`)
      .option("-y, --yes", "do not ask")
      .option("--plugin <specifier>", "also take out this entry, as `init --plugin` made it")
  },

  async run({ dir: here, options, io }) {
    // Scripts of people uninstall too, so no terminal is asked for.
    requirePerson(io, "Uninstalling")
    const scope = options.global === true ? "global" : "project"
    // One that should not be there, below another or in a linked worktree, can be taken away by naming it.
    const { home: dir, dir: projectDir } = hasHive(here) ? { home: here, dir: here } : locateHive(here)
    const location: ConfigLocation = { projectDir, hiveHome: dir, home: io.home, env: io.env }
    const client = options.mcp === undefined ? undefined : mcpClientNamed(options.mcp)
    const removals =
      client === undefined
        ? [
            ...(await planRemoval(scope, location, options.plugin)),
            ...(scope === "project" ? await planMcpRemoval(location) : []),
          ]
        : await planMcpRemoval(location, [client])
    const place = { home: dir, dir: projectDir }
    const kept = options.purge === true ? await findKept(place) : NOTHING
    const purges = kept.folders.length + kept.refs.length > 0

    if ((removals.length > 0 || purges) && options.yes !== true) {
      const question = `Uninstall HiveMind: ${steps(removals, kept, "todo").join(", ")}?`
      if (!(await ask(question, "uninstall", io, !purges))) return declined(dir)
    }
    await applyRemoval(removals, dir, (change) =>
      client === undefined ? change.scope === scope : change.client === client.name,
    )
    if (purges) await purge(place, kept)
    return describe(removals, kept, dir, [...(await notesFor(scope, location)), ...notesOnPurge(kept)])
  },
}

function describe(removals: Removal[], kept: Kept, dir: string, notes: string[]): CliResult {
  const purged = kept.folders.length + kept.refs.length > 0
  const changed = removals.length > 0 || purged
  const files = removals.map(({ file, change }) => ({ file, change }))
  const lines = changed
    ? ["HiveMind is uninstalled.", ...steps(removals, kept, "done").map((step) => `  ${step}`)]
    : [`Nothing to do: no config here loads HiveMind (${dir}).`]
  const text = [...lines, ...notes.map((note) => `Note: ${note}`)].join("\n")
  return { data: { changed, project: dir, files, purged, notes }, text }
}

const STEP = {
  restored: { todo: "restore what was there before init:", done: "restored what was there before init:" },
  deleted: { todo: "delete what init made:", done: "deleted what init had made:" },
  entry_removed: { todo: "take our entry out of", done: "took our entry, and nothing else, out of" },
  purged: { todo: "delete all plans and memories:", done: "deleted all plans and memories:" },
  store: { todo: "delete snapshots and the backup:", done: "deleted snapshots and the backup:" },
  refs: { todo: "delete the log in this repository:", done: "deleted the log in this repository:" },
}

function steps(removals: Removal[], { folders, refs }: Kept, tense: "todo" | "done"): string[] {
  return [
    ...removals.map(({ file, change }) => `${STEP[change][tense]} ${file}`),
    ...folders.map((path) => `${STEP[basename(path) === HIVE_FOLDER ? "purged" : "store"][tense]} ${path}`),
    ...(refs.length > 0 ? [`${STEP.refs[tense]} ${REFS}/*`] : []),
  ]
}

function notesOnPurge({ remotes, others }: Kept): string[] {
  return [
    ...remotes.map(
      (remote) =>
        `${remote} keeps its copy of the shared log, and so do other clones; \`git push ${remote} --delete ${LOG_REF}\` deletes it there.`,
    ),
    ...(others.length > 0
      ? [`snapshots and the shared log are kept: the hive in ${others.join(", ")} uses them.`]
      : []),
  ]
}

async function notesFor(scope: ConfigScope, location: ConfigLocation): Promise<string[]> {
  const notes: string[] = []
  const { root } = hivePaths(location.hiveHome)
  if (existsSync(root)) notes.push(`${root} is kept; \`--purge\` deletes it, with all plans and memories.`)
  const other = await findInOtherScope(scope, location)
  const how = scope === "project" ? "`hivemind uninstall --global`" : "`hivemind uninstall`"
  if (other !== undefined) notes.push(`${other} still loads HiveMind; ${how} takes it out there.`)
  return notes
}

function declined(dir: string): CliResult {
  return { data: { changed: false, project: dir }, text: "Nothing was changed.", trouble: true }
}

const NOTHING: Kept = { folders: [], refs: [], remotes: [], others: [] }
