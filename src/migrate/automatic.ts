import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { counted } from "../shared/amounts.ts"
import { quarantineFile } from "../store/files/quarantine-file.ts"
import { readMigration } from "../store/migrations.ts"
import { graphIn } from "../store/store.ts"
import { beginMigration, type Migrated, migrate, unreadFiles } from "./migrate.ts"
import { mayBePending } from "./open-with-legacy.ts"

/** Migrates old files into an empty graph, or continues an interrupted migration. Undefined if there is nothing to do. */
export async function migrateAutomatically(given: Hive): Promise<Migrated | undefined> {
  const hive = { ...given, store: graphIn(given.store) }
  if (!mayBePending(hive)) return undefined
  // The mark comes first. Without it, a start after an interruption would take the half-filled graph for a finished one.
  if (readMigration(hive.home) === undefined) {
    if (unreadFiles(hive.home).length === 0) return undefined
    beginMigration(hive)
  }
  const migrated = await migrate(given)
  return migrated.report === null ? undefined : migrated
}

export function migratedLine({ report, moves }: Migrated): string {
  const made = Object.entries(report?.taken ?? {}).filter(([kind]) => SHOWN.has(kind))
  const records = made.map(([kind, count]) => counted(count, kind)).join(", ")
  const quarantined = report?.sources.quarantined ?? 0
  const are = quarantined === 1 ? "is" : "are"
  return [
    `HiveMind migrated the files of an older tool: ${records || "nothing new"}.`,
    quarantined > 0 && `${counted(quarantined, "record")} could not be used and ${are} in quarantine.`,
    moves.length > 0 ? "The old files are kept as .bak;" : "The old files stay;",
    "`hivemind import migrate --undo` restores everything.",
  ]
    .filter((sentence) => sentence !== false)
    .join(" ")
}

export function unreadNotice(home: string): string | undefined {
  if (readMigration(home)?.state === "moving") return undefined
  const names = unreadFiles(home).map(({ name, isUnreadable }) =>
    isUnreadable === true ? `${name}, which cannot be read` : name,
  )
  if (names.length === 0) return undefined
  return `${counted(names.length, "file")} of an older tool ${names.length === 1 ? "is" : "are"} not in the graph yet (${listed(names)}): \`hivemind import migrate\` migrates them.`
}

export function unmovedNotice(home: string): string | undefined {
  const mark = readMigration(home)
  if (mark?.state !== "moving") return undefined
  const names = mark.moves.flatMap(({ from }) => (existsSync(join(home, from)) ? [from] : []))
  if (names.length === 0) return undefined
  const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"]
  return `${counted(names.length, "file")} of an older tool ${are} in the graph but could not be renamed to .bak (${listed(names)}): \`hivemind import migrate\` renames ${them}.`
}

export function quarantineNotice(home: string): string | undefined {
  const count = quarantineFile(home).count()
  if (count === 0) return undefined
  return `${counted(count, "record")} of older or other tools could not be used. The records and the reasons are in .hivemind/graph/quarantine.jsonl.`
}

export function fromCommand(folder: string): string {
  return `\`hivemind import migrate --from ${/^[\w./@:+-]+$/.test(folder) ? folder : JSON.stringify(folder)}\``
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ["…"] : [])].join(", ")
}

const SHOWN = new Set(["plan", "task", "mem", "anchor", "session", "checkpoint", "delegation"])
const MAX_NAMES = 3
