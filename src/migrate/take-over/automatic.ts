import { existsSync } from "node:fs"
import type { Hive } from "../../hive/hive.ts"
import { counted } from "../../shared/amounts.ts"
import { readMigrations } from "../../store/migrations.ts"
import { graphOnly } from "../graph-only.ts"
import { isEmptyGraph } from "../pending.ts"
import { type Migrated, migrate, untakenFiles } from "./migrate.ts"
import { allUnderWay, beginMigration } from "./under-way.ts"

/**
 * Takes over what older tools have left, where nobody has begun a graph of their own yet, or goes on with what was begun,
 * also of another folder that is still there. Whoever has taken it back is not asked again. Undefined where there is
 * nothing to do.
 */
export async function migrateByItself(given: Hive): Promise<Migrated | undefined> {
  const { hive } = graphOnly(given)
  const isFirst =
    readMigrations(hive.home).length === 0 &&
    isEmptyGraph(hive.store.read().state) &&
    untakenFiles(hive.home).length > 0
  // At once: another process may migrate for long, and what is written until then is a graph.
  if (isFirst) beginMigration(hive)
  let first: Migrated | undefined
  let failure: { error: unknown } | undefined
  for (const { from } of allUnderWay(hive.home)) {
    if (from !== undefined && !existsSync(from)) continue
    try {
      const migrated = await migrate(given, from === undefined ? {} : { from })
      if (migrated.report !== null) first ??= migrated
    } catch (error) {
      failure ??= { error } // The others do not depend on it.
    }
  }
  if (failure !== undefined) throw failure.error
  return first
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
