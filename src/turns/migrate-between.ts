import { withTimeout } from "../shared/timeout.ts"
import type { TurnInput } from "./turn-input.ts"

/**
 * Takes over what older tools of this family have left, on the first start where they did. It goes on beside the turns:
 * the first one waits a moment, in which most are done, and none longer than that.
 */
export function migrateBetween({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  let work: Promise<void> | undefined

  async function run(): Promise<void> {
    try {
      const opened = await hive()
      // Of no use where no older tool was.
      const { migratedLine, migrateByItself } = await import("../migrate/take-over/automatic.ts")
      const migrated = await migrateByItself(opened)
      if (migrated === undefined) return
      const line = migratedLine(migrated)
      log("info", line, migrated.report?.sources)
      await toast(line).catch((error: unknown) => log("error", "could not show toast", error))
    } catch (error) {
      // The next start goes on with it.
      log("error", "what an older tool has left could not be taken over", error)
    }
  }

  return {
    /** The first message or call that this process sees. */
    async begin(): Promise<void> {
      if (work !== undefined) return
      work = run()
      await withTimeout(work, FIRST_TURN_MS)
    },
  }
}

// Plans, anchors and the read-head come first, also where there are a hundred thousand mems.
const FIRST_TURN_MS = 150
