import type { Problem } from "../graph/problem.ts"
import { existsSync } from "../store/files/hive-fs.ts"
import { hivePaths } from "../store/files/layout.ts"
import { projectFile } from "../store/files/project-file.ts"
import { keepOutOfGit } from "../store/older-tool.ts"
import { refreshQueue } from "../watch/validation.ts"
import { completeDonePlans, purgeAbandoned } from "../work/plan/end.ts"
import type { BackgroundSync } from "./background-sync.ts"
import type { Step, TurnInput } from "./between-turns.ts"

/** Checks and clean-up while the first answer of a session is on its way. */
export function sessionStart(
  { hive, log, toast, validate }: TurnInput,
  sync: BackgroundSync,
  scan: () => void,
) {
  let lastShown = ""

  async function checkFiles(): Promise<void> {
    const { store } = await hive()
    const message = describeProblems(store.health().problems)
    if (message === "" || message === lastShown) return
    lastShown = message
    log("info", message)
    await toast(message)
  }

  /** Tasks abandoned before this session leave the packed state. */
  async function purge(session: string): Promise<void> {
    const count = await purgeAbandoned(await hive(), { session, agent: null, tool: "session start" })
    if (count > 0) log("info", `${count} task(s) of abandoned plans left the packed state`)
  }

  async function closePlans(session: string): Promise<void> {
    const done = await completeDonePlans(await hive(), { session, agent: null, tool: "session start" })
    if (done.length > 0) log("info", `${done.length} plan(s) were done, and are completed now`)
  }

  async function validateAll(session: string): Promise<void> {
    const opened = await hive()
    const marked = await validate(opened, { session, agent: null, tool: "session start" }, "session start")
    const { state, problems } = opened.store.read()
    const due = refreshQueue(state, opened.source.now())
    const found = [...marked]
    if (problems.length > 0) found.push(`${problems.length} broken link(s) or record(s), mended or set aside`)
    if (due.length > 0) found.push(`to refresh: ${due.map(({ title }) => title).join("; ")}`)
    if (found.length > 0) log("info", "validated", found)
  }

  /** Another branch may have an old `.gitignore`, or none. */
  async function ignore(): Promise<void> {
    keepOutOfGit((await hive()).home)
  }

  /** Ready before the first message asks for recall. */
  async function indexMems(): Promise<void> {
    const { warmMemIndex } = await import("../knowledge/index/mem-index.ts") // Of no use before a session.
    await warmMemIndex((await hive()).store)
  }

  return (session: string, isChild: boolean): Step[] => {
    const index: Step = ["index of the mems", indexMems]
    const check: Step = ["check of the files", checkFiles]
    if (isChild) return [index, check]
    return [
      index,
      ["keeping out of git", ignore],
      // The session should begin with the entries of other clones.
      ["sync", () => sync("session start")],
      check,
      ["purge", () => purge(session)],
      ["plans that are done", () => closePlans(session)],
      ["validation", () => validateAll(session)],
      ["project scan", async () => scan()],
    ]
  }
}

/** The state of HiveMind's files in one line, or "" if all is well. */
function describeProblems(problems: readonly Problem[]): string {
  const quarantined = problems.filter((problem) => problem.level === "quarantined")
  const shown = quarantined.length > 0 ? quarantined : problems
  const first = shown[0]
  if (first === undefined) return ""
  const files = [...new Set(shown.map((problem) => problem.file))].join(", ")
  const what = quarantined.length > 0 ? "could not be read" : "looks wrong"
  const count = shown.length === 1 ? "1 part" : `${shown.length} parts`
  return `HiveMind: ${count} of ${files} ${what} (${first.reason}). Nothing is lost; \`hivemind doctor\` tells how to mend it.`
}

/**
 * Scans the project for changes at a session's start. Only if it was scanned before: a first scan is up to the user.
 * It may take seconds, so it runs beside all other steps.
 */
export function scanAtStart(
  { hive, log }: Pick<TurnInput, "hive" | "log">,
  later: (steps: readonly Step[]) => void,
) {
  let isRunning = false

  async function scan(): Promise<void> {
    try {
      const opened = await hive()
      if (!existsSync(projectFile(hivePaths(opened.home), "map", opened).path)) return
      // Loaded only for scanned projects.
      const { scanHive } = await import("../knowledge/project/scan-hive.ts")
      const caller = { session: null, agent: null, tool: "session start" }
      const { drift, facts } = await scanHive(opened, caller, "incremental")
      if (drift !== null && drift.facts.length > 0) log("info", "project scan", drift.facts)
      if (facts !== null && facts.made.length > 0)
        log("info", `${facts.made.length} mem(s) about the project`)
    } finally {
      isRunning = false
    }
  }

  return (): void => {
    if (isRunning) return
    isRunning = true
    later([["project scan", scan]])
  }
}

/**
 * Migrates files of older tools on the first start. Runs beside the turns; until it is done, old files are read beside
 * the graph.
 */
export function migrateAtStart({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  let isBegun = false

  async function run(): Promise<void> {
    try {
      const opened = await hive()
      // Loaded only once.
      const { migratedLine, migrateAutomatically } = await import("../migrate/automatic.ts")
      const migrated = await migrateAutomatically(opened)
      if (migrated === undefined) return
      const line = migratedLine(migrated)
      log("info", line, migrated.report?.sources)
      await toast(line).catch((error: unknown) => log("error", "could not show toast", error))
    } catch (error) {
      // The next start goes on.
      log("error", "what an older tool has left could not be taken over", error)
    }
  }

  return {
    /** At the first message or call of this process. */
    begin(): void {
      if (!isBegun) void run()
      isBegun = true
    },
  }
}
