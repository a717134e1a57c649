import type { Hive } from "../../hive/hive.ts"
import { counted } from "../../shared/amounts.ts"
import { readMigrations } from "../../store/migrations.ts"
import { graphOnly } from "../graph-only.ts"
import { isEmptyGraph } from "../pending.ts"
import { beginMigration, type Migrated, migrate, untakenFiles } from "./migrate.ts"

/**
 * Takes over what older tools have left, where nobody has begun a graph of their own yet, or goes on with that. Whoever
 * has taken it back is not asked again. Undefined where there is nothing to do.
 */
export async function migrateByItself(given: Hive): Promise<Migrated | undefined> {
  const { hive } = graphOnly(given)
  const states = readMigrations(hive.home).map(({ state }) => state)
  const isBegun = states.some((state) => state === "running" || state === "moving")
  const isFirst =
    states.length === 0 && isEmptyGraph(hive.store.read().state) && untakenFiles(hive.home).length > 0
  if (!isBegun && !isFirst) return undefined
  // At once: another process may migrate for long, and what is written until then is a graph.
  beginMigration(hive)
  const migrated = await migrate(given)
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

const SHOWN: ReadonlySet<string> = new Set([
  "plan",
  "task",
  "mem",
  "anchor",
  "session",
  "checkpoint",
  "delegation",
])
