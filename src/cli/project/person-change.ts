import type { Caller, Hive } from "../../hive/hive.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { backupHive, removeBackup } from "../../sync/backup.ts"
import type { CliInput, CliResult } from "../terminal/command.ts"
import { requirePerson } from "../terminal/person.ts"

/** Runs a change that only a person may make: refuses agents. The returned text says how to undo the change. */
export async function changeForPerson(
  { io }: Pick<CliInput, "io">,
  hive: Hive,
  command: string,
  change: (caller: Caller) => Promise<{ data: CliResult["data"]; text: string }>,
): Promise<CliResult> {
  requirePerson(io, `\`hivemind ${command}\``)
  const { store } = hive
  const caller = { session: null, agent: null, tool: `hivemind ${command}` }
  const newest = async () =>
    (await store.log({ limit: NEWEST_ENTRIES })).findLast(({ by }) => by.tool === caller.tool)
  const before = await newest()
  const { data, text } = await change(caller)
  const entry = await newest()
  if (entry === undefined || entry.id === before?.id)
    return { data, text: `${text}\nNothing was changed: it was like that already.` }
  const undo = `\`hivemind undo ${shortId(entry.id)}\` takes it back.`
  return {
    data: { ...data, entry: entry.id },
    text: [text, undo, ...(await backUp(hive))].join("\n"),
  }
}

/** Updates the backup, which otherwise only happens after an agent's turn. Returns a note if that fails; the change is saved. */
export async function backUp(hive: Hive): Promise<string[]> {
  try {
    await (hive.config.sync === "off" ? removeBackup(hive) : backupHive(hive))
    return []
  } catch (error) {
    const why = error instanceof HiveError ? error.what : String(error)
    return [`The backup in git's own folder was not updated: ${why} \`hivemind doctor\` says more.`]
  }
}

export function requireIdArgument(id: string | undefined, command: string, option: string): string {
  if (id !== undefined) return id
  throw new HiveError({
    code: "invalid_argument",
    what: `\`${option}\` needs an id.`,
    why: "The option changes one record.",
    use_instead: `\`hivemind ${command}\` shows the ids; then \`hivemind ${command} <id> ${option}\`.`,
    evidence: `hivemind ${command} ${option}`,
  })
}

// How many of the newest log entries are searched for this change: other processes may write at the same time.
const NEWEST_ENTRIES = 50
