import type { Hive } from "../../hive/hive.ts"
import { counted } from "../../shared/amounts.ts"
import { readMigrations } from "../../store/migrations.ts"
import { type Migrated, migrate, untakenFiles } from "./migrate.ts"

/**
 * Takes over what older tools have left, where nobody has begun a graph of their own yet, or goes on with that. Whoever
 * has taken it back is not asked again. Undefined where there is nothing to do.
 */
export async function migrateByItself(hive: Hive): Promise<Migrated | undefined> {
  const states = readMigrations(hive.home).map(({ state }) => state)
  const isBegun = states.some((state) => state === "running" || state === "moving")
  const isFirst = states.length === 0 && isEmpty(hive) && untakenFiles(hive.home).length > 0
  if (!isBegun && !isFirst) return undefined
  const migrated = await migrate(hive)
  return migrated.report === null ? undefined : migrated
}

/** What was taken over, in a line for people. */
export function migratedLine({ report, moves }: Migrated): string {
  const made = Object.entries(report?.taken ?? {}).filter(([kind]) => SHOWN.has(kind))
  const records = made.map(([kind, count]) => counted(count, kind)).join(", ")
  const aside = report?.sources.quarantined ?? 0
  return [
    `HiveMind took over what an older tool has left: ${records === "" ? "nothing new" : records}.`,
    ...(aside > 0
      ? [`${counted(aside, "record")} could not be used and ${aside === 1 ? "is" : "are"} in quarantine.`]
      : []),
    moves.length > 0 ? "The old files are kept as .bak;" : "The old files stay;",
    "`hivemind migrate --undo` puts it all back.",
  ].join(" ")
}

function isEmpty({ store }: Hive): boolean {
  const { plan, task, mem, anchor } = store.read().state
  return plan.size + task.size + mem.size + anchor.size === 0
}

const SHOWN: ReadonlySet<string> = new Set([
  "plan",
  "task",
  "mem",
  "anchor",
  "session",
  "checkpoint",
  "delegation",
])
