import { type Located, locateHive } from "../hive/locate.ts"
import { configInOptions } from "../hive/plugin-options.ts"
import { counted } from "../shared/amounts.ts"
import { hasHive } from "../store/files/layout.ts"
import { NOTHING_NEW } from "../store/fold.ts"
import { restoreHive } from "../sync/restore.ts"
import { lostEntries } from "../sync/state.ts"
import { checkAgent } from "./doctor/agent-checks.ts"
import { type Check, type Finding, ok, renderCheck, runCheck, skipped, warning } from "./doctor/check.ts"
import { checkNode, checkPlugin, findInstalls, type Installed, LOADS } from "./doctor/opencode-checks.ts"
import { checkDisk, checkOlderVersions, PROJECT_CHECKS } from "./doctor/project-checks.ts"
import { inactiveNotice } from "./install/active.ts"
import { installedAgents } from "./install/agent-plugins.ts"
import { mcpEntries } from "./install/mcp-clients.ts"
import { ownPackage, versionText } from "./install/own-package.ts"
import { configLocation, openPlainHive, requireHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import type { CliIo } from "./terminal/io.ts"
import { numberOption } from "./terminal/options.ts"

export const command: CliCommand<{ repair?: boolean; start: boolean; timeout: number }> = {
  configure(doctor) {
    const range = { min: 0.1, max: 3600, fallback: 60, isDecimal: true }
    doctor
      .option("--no-start", "do not start OpenCode to see whether it loads the plugin")
      .option("--repair", "rewrite damaged or missing files from the log, then check")
      .addOption(numberOption("--timeout <seconds>", "how long OpenCode may take to start", range))
  },

  help: "Example: hivemind doctor --no-start",

  async run({ dir, options, io, style }) {
    const place = locateHive(dir)
    const repaired = options.repair ? [await runCheck("repair", () => repairFiles(place, io))] : []
    const startMs = options.start ? options.timeout * 1000 : null
    const checks = [...repaired, ...(await checkAll(place, io, startMs))]
    const loads = checks.find(({ name }) => name === LOADS)
    const inactive = loads?.level === "ok" ? null : await inactiveNotice(configLocation(place, io))
    const { version, commit } = ownPackage()
    const isTrouble = checks.some(({ level }) => level === "trouble")
    return {
      data: { project: place.home, version, commit, healthy: !isTrouble, checks },
      text: [
        style("bold", `HiveMind ${versionText()} in ${place.home}`),
        inactive && style("red", inactive),
        "",
        ...checks.map((check) => renderCheck(check, style)),
        "",
        verdict(checks),
      ],
      trouble: isTrouble,
    }
  },
}

async function repairFiles(place: Located, io: CliIo): Promise<Finding> {
  if (!hasHive(place.home)) return skipped("no .hivemind/ yet")
  const { hive } = await openPlainHive(place, io)
  try {
    const lost = await lostEntries(hive)
    if (lost.length > 0) await restoreHive({ ...hive, remote: null })
    const { folded, note: tidied } = await hive.store.repair()
    const back = `${counted(lost.length, "entry", "entries")} brought back from the backup`
    const note = lost.length === 0 ? tidied : `${back}; ${tidied}`
    if (folded || tidied === NOTHING_NEW) return ok(note)
    return warning("Run `hivemind doctor` for the reason, then repair again.", note)
  } finally {
    await hive.store.close()
  }
}

/** Runs all checks. `startMs` limits how long OpenCode may take to start; null skips that check. */
export async function checkAll(place: Located, io: CliIo, startMs: number | null): Promise<Check[]> {
  const location = configLocation(place, io)
  const installed = await findInstalls(location)
  // A project without `.hivemind/` is fine if a config already loads the plugin: the first write creates the folder.
  if (installed.entries.length === 0) await requireHive(place.dir)
  const clients = await mcpEntries(location)
  const agents = await installedAgents(location)
  // If only other agents are set up, OpenCode is not required.
  const needsOpencode = clients.length + agents.length === 0 || installed.entries.length > 0
  return [
    { name: "node", ...checkNode(process.version) },
    ...(clients.length === 0 ? [] : [{ name: "mcp clients", ...ok(clients.join(", ")) }]),
    ...(await Promise.all(agents.map((agent) => checkAgent(agent, location, io, startMs)))).flat(),
    ...(needsOpencode ? await checkPlugin(installed, location, io, startMs) : []),
    ...(await checkProject(place, installed, io)),
  ]
}

async function checkProject(place: Located, { entries }: Installed, io: CliIo): Promise<Check[]> {
  const { home } = place
  if (!hasHive(home))
    return [
      { name: "folder", ...ok("no .hivemind/ yet; the first write makes it") },
      await runCheck("disk", () => checkDisk(home)),
      await runCheck("older versions", () => checkOlderVersions(home)),
    ]
  const [first] = entries
  const options = first === undefined ? undefined : configInOptions(first.entry.options)
  const from = `the plugin's options in ${first?.file}`
  const { hive, configProblems } = await openPlainHive(place, io, options, from)
  try {
    const given = { place, hive, configProblems, health: hive.store.health() }
    const checks: Check[] = []
    for (const [name, check] of Object.entries(PROJECT_CHECKS))
      checks.push(await runCheck(name, () => check(given)))
    return checks
  } finally {
    await hive.store.close()
  }
}

function verdict(checks: Check[]): string {
  const parts = ["trouble", "warning"].flatMap((level) => {
    const count = checks.filter((check) => check.level === level).length
    return count > 0 ? [counted(count, level)] : []
  })
  return parts.length === 0 ? "All is well." : `${parts.join(", ")}. The arrows say what to do.`
}
