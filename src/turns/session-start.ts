import type { Problem } from "../graph/problem.ts"
import type { Caller } from "../hive/hive.ts"
import { existsSync } from "../store/files/hive-fs.ts"
import { hivePaths } from "../store/files/layout.ts"
import { projectFile } from "../store/files/project-file.ts"
import { keepOutOfGit } from "../store/older-tool.ts"
import { refreshQueue } from "../watch/validation.ts"
import { completeDonePlans, purgeAbandoned } from "../work/plan/end.ts"
import type { BackgroundSync } from "./background-sync.ts"
import type { Step, TurnInput } from "./between-turns.ts"

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

  async function purge(caller: Caller): Promise<void> {
    const count = await purgeAbandoned(await hive(), caller)
    if (count > 0) log("info", `${count} task(s) of abandoned plans invalidated`)
  }

  async function closePlans(caller: Caller): Promise<void> {
    const done = await completeDonePlans(await hive(), caller)
    if (done.length > 0) log("info", `${done.length} plan(s) completed: all tasks are done`)
  }

  async function validateAll(caller: Caller): Promise<void> {
    const opened = await hive()
    const marked = await validate(opened, caller, "session start")
    const { state, problems } = opened.store.read()
    const due = refreshQueue(state, opened.source.now())
    const found = [...marked]
    if (problems.length > 0)
      found.push(`${problems.length} broken link(s) or record(s), repaired or quarantined`)
    if (due.length > 0) found.push(`to refresh: ${due.map(({ title }) => title).join("; ")}`)
    if (found.length > 0) log("info", "validated", found)
  }

  /** Builds the index of mems before the first message needs recall. */
  async function indexMems(): Promise<void> {
    const { memIndexOf } = await import("../knowledge/index/mem-index.ts") // Loaded only for a session.
    await memIndexOf((await hive()).store).warm()
  }

  return (session: string, isChild: boolean): Step[] => {
    const index: Step = ["index of the mems", indexMems]
    const check: Step = ["check of the files", checkFiles]
    if (isChild) return [index, check]
    const caller = { session, agent: null, tool: "session start" }
    return [
      index,
      ["keeping out of git", async () => keepOutOfGit((await hive()).home)],
      ["sync", () => sync("session start")],
      check,
      ["purge", () => purge(caller)],
      ["plans that are done", () => closePlans(caller)],
      ["validation", () => validateAll(caller)],
      ["project scan", async () => scan()],
    ]
  }
}

function describeProblems(problems: readonly Problem[]): string {
  const quarantined = problems.filter((problem) => problem.level === "quarantined")
  const shown = quarantined.length > 0 ? quarantined : problems
  const first = shown[0]
  if (first === undefined) return ""
  const files = [...new Set(shown.map((problem) => problem.file))].join(", ")
  const what = quarantined.length > 0 ? "could not be read" : "looks wrong"
  const count = shown.length === 1 ? "1 part" : `${shown.length} parts`
  return `HiveMind: ${count} of ${files} ${what} (${first.reason}). Nothing is lost; \`hivemind doctor\` shows how to repair it.`
}

/** Scans for changes since the last scan. Only the user starts the first scan of a project. */
export function scanAtStart(
  { hive, log }: Pick<TurnInput, "hive" | "log">,
  later: (steps: readonly Step[]) => void,
) {
  let isRunning = false

  async function scan(): Promise<void> {
    try {
      const opened = await hive()
      if (!existsSync(projectFile(hivePaths(opened.home), "map", opened).path)) return
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

/** Migrates older tools' files in the background; until that is done, those files are read along with the graph. */
export function migrateAtStart({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  let isBegun = false

  async function run(): Promise<void> {
    try {
      const opened = await hive()
      const { migratedLine, migrateAutomatically } = await import("../migrate/automatic.ts")
      const migrated = await migrateAutomatically(opened)
      if (migrated === undefined) return
      const line = migratedLine(migrated)
      log("info", line, migrated.report?.sources)
      await toast(line).catch((error: unknown) => log("error", "could not show toast", error))
    } catch (error) {
      log("error", "could not migrate the files of an older tool", error)
    }
  }

  return (): void => {
    if (!isBegun) void run()
    isBegun = true
  }
}
