import { existsSync } from "../store/files/hive-fs.ts"
import { hivePaths } from "../store/files/layout.ts"
import { projectFile } from "../store/files/project-file.ts"
import type { Step } from "./background.ts"
import type { TurnInput } from "./turn-input.ts"

/**
 * Looks at a session's start at what has changed in the project since its last scan. Only where there was one: whether a
 * project is scanned at all is for its people to say. Beside all other steps, as it may take seconds.
 */
export function scanBetween(
  { hive, log }: Pick<TurnInput, "hive" | "log">,
  later: (steps: readonly Step[]) => void,
) {
  let isRunning = false

  async function scan(): Promise<void> {
    try {
      const opened = await hive()
      if (!existsSync(projectFile(hivePaths(opened.home), "map", opened).path)) return
      // Of no use in a project that was never scanned: loaded only for one that was.
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
