import type { TurnInput } from "./turn-input.ts"

/**
 * Takes over what older tools of this family have left, on the first start where they did. It goes on beside the turns, and
 * none waits for it: until it is done, what the old files hold is read beside the graph.
 */
export function migrateBetween({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  let isBegun = false

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
    begin(): void {
      if (!isBegun) void run()
      isBegun = true
    },
  }
}
