import type { Command } from "commander"
import { locateHive } from "../hive/locate.ts"
import { existsSync } from "../store/files/hive-fs.ts"
import { HIVE_FOLDER, hasHive, hivePaths } from "../store/files/layout.ts"
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

/** Takes HiveMind out of OpenCode's config and that of other clients again; `.hivemind/` stays unless `--purge`. */
export const uninstallCommand: CliCommand<UninstallOptions> = {
  configure(command: Command) {
    command
      .option("--global", "take it out of your user-wide OpenCode config, not the project's")
      .option("--mcp <client>", "take it out of that client's config only")
      .option("--purge", `also delete ${HIVE_FOLDER}/, with all plans and memories`)
      .option("-y, --yes", "do not ask")
      .option("--plugin <specifier>", "also take out this entry, as `init --plugin` made it")
  },

  async run({ dir: here, options, io }) {
    // Scripts of people uninstall too, so no terminal is asked for.
    requirePerson(io, "Uninstalling", { terminal: false })
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
    const purges = options.purge === true && existsSync(hivePaths(dir).root)

    if ((removals.length > 0 || purges) && options.yes !== true) {
      const question = `Uninstall HiveMind: ${steps(removals, purges, dir, "todo").join(", ")}?`
      if (!(await ask(question, "uninstall", io, !purges))) return declined(dir)
    }
    await applyRemoval(removals, dir, (change) =>
      client === undefined ? change.scope === scope : change.client === client.name,
    )
    if (purges) await purge(dir)
    return describe(removals, purges, dir, await notesFor(scope, location))
  },
}

function describe(removals: Removal[], purged: boolean, dir: string, notes: string[]): CliResult {
  const changed = removals.length > 0 || purged
  const files = removals.map(({ file, change }) => ({ file, change }))
  const lines = changed
    ? ["HiveMind is uninstalled.", ...steps(removals, purged, dir, "done").map((step) => `  ${step}`)]
    : [`Nothing to do: no config here loads HiveMind (${dir}).`]
  const text = [...lines, ...notes.map((note) => `Note: ${note}`)].join("\n")
  return { data: { changed, project: dir, files, purged, notes }, text }
}

const STEP = {
  restored: { todo: "restore what was there before init:", done: "restored what was there before init:" },
  deleted: { todo: "delete what init made:", done: "deleted what init had made:" },
  entry_removed: { todo: "take our entry out of", done: "took our entry, and nothing else, out of" },
  purged: { todo: "delete all plans and memories:", done: "deleted all plans and memories:" },
}

function steps(removals: Removal[], purges: boolean, dir: string, tense: "todo" | "done"): string[] {
  const inConfigs = removals.map(({ file, change }) => `${STEP[change][tense]} ${file}`)
  return purges ? [...inConfigs, `${STEP.purged[tense]} ${hivePaths(dir).root}`] : inConfigs
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
