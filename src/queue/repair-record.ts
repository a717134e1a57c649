import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import type { QueuedCommand } from "../schemas/queued-command.ts"
import { HiveError } from "../shared/error.ts"

type Repair = Extract<QueuedCommand, { do: "repair_record" }>

/** Brings a record out of quarantine with the text that a person has corrected, checked like any that is written. */
export async function repairRecord(
  hive: Hive,
  caller: Caller,
  { file, kind, id, json }: Repair,
): Promise<void> {
  const found = hive.store
    .health()
    .problems.find((each) => each.level === "quarantined" && each.file === file && each.id === id)
  if (found === undefined) throw notInQuarantine(file, id)
  const record = recordIn(json)
  if (id !== null && record["id"] !== id) throw anotherId(id)
  await hive.store.write(authorOf(caller), (tx) => {
    // It was there before: its status may be any.
    tx.putBack()
    // The transaction checks every field of it.
    if (id !== null && tx.get(kind, id) !== undefined) tx.set(kind, id, record)
    else tx.add(kind, record as never)
  })
  // Only then is the file without the broken text, which stays among the orphans; one that somebody still edits, later.
  await hive.store.fold()
}

function recordIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value }
    throw notARecord("It is JSON, but no object.")
  } catch (error) {
    throw error instanceof SyntaxError ? notARecord(error.message) : error
  }
}

function notARecord(why: string): HiveError {
  return new HiveError({
    code: "invalid_record",
    what: "The record was not repaired: its text is not a JSON object.",
    why,
    use_instead: "Correct the text and try again.",
    evidence: "json",
  })
}

function notInQuarantine(file: string, id: string | null): HiveError {
  return new HiveError({
    code: "not_found",
    what: "There is nothing to repair.",
    why: `No such record is in quarantine: ${id ?? "without an id"}, of ${file}.`,
    use_instead: "`hivemind inspect` lists what is.",
    evidence: `${file}: ${id}`,
  })
}

function anotherId(id: string): HiveError {
  return new HiveError({
    code: "invalid_record",
    what: "The record was not repaired: its id is another one.",
    why: `Other records know it as ${id}.`,
    use_instead: "Leave the id as it is.",
    evidence: id,
  })
}
