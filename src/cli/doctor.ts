import type { Command } from "commander"
import { userConfigFile } from "../hive/load-config.ts"
import { type Located, locateHive } from "../hive/locate.ts"
import { openHiveAt } from "../hive/open.ts"
import {
  brokenOffNotices,
  quarantineNotice,
  unmovedNotice,
  untakenNotice,
} from "../migrate/take-over/notice.ts"
import { counted } from "../shared/amounts.ts"
import { systemSource } from "../shared/ids.ts"
import { hasHive } from "../store/files/layout.ts"
import { NOTHING_NEW } from "../store/fold.ts"
import { attempt, type Check, ok, renderCheck, skipped, warning } from "./doctor/check.ts"
import {
  checkDisk,
  checkFiles,
  checkFold,
  checkFormat,
  checkLock,
  checkSetAside,
  checkWritable,
} from "./doctor/file-checks.ts"
import { checkHives, checkInGit } from "./doctor/git-checks.ts"
import { checkLog } from "./doctor/log-check.ts"
import {
  checkInstalls,
  checkLoads,
  checkNode,
  checkOpencode,
  checkPanel,
  findInstalls,
  type Installed,
  LOADS,
} from "./doctor/opencode-checks.ts"
import { checkSnapshots } from "./doctor/snapshot-check.ts"
import { checkConflicts, checkSync } from "./doctor/sync-check.ts"
import { mcpEntries } from "./install/mcp-install.ts"
import { ownPackage } from "./install/own-package.ts"
import { pluginOptions } from "./install/plugin-list.ts"
import { requireHive } from "./project/open-project.ts"
import type { CliCommand, CliInput } from "./terminal/command.ts"
import { parseSeconds } from "./terminal/parse-limit.ts"
import { styleFor } from "./terminal/style.ts"

interface DoctorOptions {
  repair?: boolean
  start: boolean
  timeout: string
}

/** Checks everything HiveMind needs and says how to repair what is wrong. Changes nothing without `--repair`. */
export const doctorCommand: CliCommand<DoctorOptions> = {
  configure(command: Command) {
    command
      .option("--no-start", "do not start OpenCode to see whether it loads the plugin")
      .option("--repair", "first write files that are damaged or gone again, from the log")
      .option("--timeout <seconds>", "how long OpenCode may take to start", "60")
      .addHelpText("after", "\nExample: hivemind doctor --no-start")
  },

  async run({ dir, options, io }) {
    const timeoutMs = parseSeconds(options.timeout, "--timeout") * 1000
    const place = locateHive(dir)
    const repaired = options.repair
      ? [await attempt("repair", () => repairFiles(place, userConfigFile(io.env, io.home)))]
      : []
    const checks = [...repaired, ...(await checkAll(place, io, options.start ? timeoutMs : null))]
    const style = styleFor(io.stdout, io.env)
    const lines = checks.map((check) => renderCheck(check, style))
    const text = [
      style("bold", `HiveMind ${ownPackage().version} in ${place.home}`),
      "",
      ...lines,
      "",
      verdict(checks),
    ]
    const isTrouble = checks.some(({ level }) => level === "trouble")
    return {
      data: { project: place.home, healthy: !isTrouble, checks },
      text: text.join("\n"),
      trouble: isTrouble,
    }
  },
}

async function repairFiles(place: Located, userConfig: string): Promise<Check> {
  if (!hasHive(place.home)) return skipped("repair", "no .hivemind/ yet")
  const { hive } = await openHiveAt(place, {
    source: systemSource,
    userConfig,
    options: { name: "", value: undefined },
  })
  try {
    const { folded, note } = await hive.store.repair()
    if (folded || note === NOTHING_NEW) return ok("repair", note)
    return warning("repair", "Run `hivemind doctor` for the reason, then repair again.", note)
  } finally {
    await hive.store.close()
  }
}

/** All checks of a project. OpenCode is started within so many milliseconds; null: it is not. */
export async function checkAll(place: Located, io: CliInput["io"], startMs: number | null): Promise<Check[]> {
  const location = { projectDir: place.dir, hiveHome: place.home, home: io.home, env: io.env }
  const installed = await findInstalls(location)
  // Where a user-wide config loads the plugin, a project may well have no `.hivemind/` yet.
  if (installed.entries.length === 0) await requireHive(place.dir)

  const clients = await mcpEntries(location)
  return [
    checkNode(process.version),
    ...(clients.length === 0 ? [] : [ok("mcp clients", clients.join(", "))]),
    // Who works with other agents alone need not have OpenCode.
    ...(clients.length > 0 && installed.entries.length === 0 ? [] : await checkPlugin()),
    ...(await checkProject(place, installed, userConfigFile(io.env, io.home))),
  ]

  async function checkPlugin(): Promise<Check[]> {
    const { check: opencode, opencode: found } = await checkOpencode(location)
    const loads =
      startMs === null
        ? skipped(LOADS, "not tried (--no-start)")
        : await attempt(LOADS, () => checkLoads(found, installed, location, io, startMs))
    return [opencode, checkInstalls(installed, loads), loads, await checkPanel(location)]
  }
}

async function checkProject(place: Located, installed: Installed, userConfig: string): Promise<Check[]> {
  const { home: project } = place
  const disk = await attempt("disk", () => checkDisk(project))
  const older = await attempt("older tools", () => checkOlderTools(project))
  if (!hasHive(project)) return [ok("folder", "no .hivemind/ yet; the first write makes it"), disk, older]
  const [entry] = installed.entries
  const given = entry === undefined ? undefined : pluginOptions(entry.text, entry.specifier)
  const { hive, configProblems } = await openHiveAt(place, {
    source: systemSource,
    userConfig,
    options: { name: `the plugin's options in ${entry?.file}`, value: given },
  })
  try {
    const health = hive.store.health()
    return [
      await attempt("folder", () => checkWritable(project)),
      disk,
      await attempt("format", () => checkFormat(project)),
      checkConfig(configProblems, hive.config.governance),
      await attempt("lock", () => checkLock(health.lockAgeMs)),
      await attempt("files", () => checkFiles(project, health)),
      await attempt("broken copies", () => checkSetAside(project)),
      await attempt("fold", () => checkFold(health, hive.config.fold_after_kb * 1024)),
      await attempt("log", () => checkLog(hive.store)),
      await attempt("hives", () => checkHives(place)),
      await attempt("git", () => checkInGit(place)),
      await attempt("snapshots", () => checkSnapshots(hive)),
      await attempt("sync", () => checkSync(hive)),
      await attempt("conflicts", () => checkConflicts(hive)),
      older,
    ]
  } finally {
    await hive.store.close()
  }
}

/** Files of older tools of this family that nobody has taken over. */
function checkOlderTools(home: string): Check {
  const [untaken, unmoved, aside] = [untakenNotice(home), unmovedNotice(home), quarantineNotice(home)]
  const brokenOff = brokenOffNotices(home)
  const name = "older tools"
  if (untaken !== undefined)
    return warning(
      name,
      "Run `hivemind migrate --dry-run` to see what would become of them.",
      ...[untaken, unmoved, ...brokenOff, aside].filter((each) => each !== undefined),
    )
  if (unmoved !== undefined)
    return warning(
      name,
      "Run `hivemind migrate`: it goes on, or says why it cannot.",
      ...[unmoved, ...brokenOff, aside].filter((each) => each !== undefined),
    )
  if (brokenOff.length > 0)
    return warning(name, "Run that command.", ...brokenOff, ...(aside === undefined ? [] : [aside]))
  if (aside !== undefined)
    return warning(
      name,
      "Look at them; what you need, save it again. Deleting the file ends this warning.",
      aside,
    )
  return ok(name, "nothing of theirs is left to take over")
}

function checkConfig(problems: string[], governance: string): Check {
  if (problems.length === 0) return ok("options", `all valid; governance is ${governance}`)
  return warning("options", "Correct them; what is wrong is not used.", ...problems)
}

function verdict(checks: Check[]): string {
  const troubles = checks.filter(({ level }) => level === "trouble").length
  const warnings = checks.filter(({ level }) => level === "warning").length
  if (troubles + warnings === 0) return "All is well."
  const parts = [
    ...(troubles > 0 ? [counted(troubles, "trouble")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ]
  return `${parts.join(", ")}. The arrows say what to do.`
}
