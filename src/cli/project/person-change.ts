import type { Caller, Hive } from "../../hive/hive.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { backupHive } from "../../sync/backup.ts"
import type { CliInput, CliResult } from "../terminal/command.ts"
import { requirePerson } from "../terminal/person.ts"

interface Changed {
  data: CliResult["data"]
  text: string
}

/**
 * Changes the graph for a person, and says how to take the change back. An agent is refused: it has tools of its own, and
 * a change made here counts as the user's word.
 */
export async function changeForPerson(
  { io }: Pick<CliInput, "io">,
  hive: Hive,
  command: string,
  change: (caller: Caller) => Promise<Changed>,
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
    return { data, text: `${text}\nNothing was changed: it was so already.` }
  const undo = `\`hivemind undo ${shortId(entry.id)}\` takes it back.`
  return {
    data: { ...data, entry: entry.id },
    text: [text, undo, ...(await backUp(hive))].join("\n"),
  }
}

/** No turn follows that would do it. Returns a note if it fails; the change itself is in the log. */
async function backUp(hive: Hive): Promise<string[]> {
  if (hive.config.sync === "off") return []
  try {
    await backupHive(hive)
    return []
  } catch (error) {
    const why = error instanceof HiveError ? error.what : String(error)
    return [`The backup in git's own folder was not updated: ${why} \`hivemind doctor\` says more.`]
  }
}

/** The id that a change is about; throws if it was left out. */
export function requireIdArgument(id: string | undefined, command: string, option: string): string {
  if (id !== undefined) return id
  throw new HiveError({
    code: "invalid_argument",
    what: `\`${option}\` needs an id.`,
    why: "It changes one record.",
    use_instead: `\`hivemind ${command}\` shows the ids; then \`hivemind ${command} <id> ${option}\`.`,
    evidence: `hivemind ${command} ${option}`,
  })
}

// Other processes may write at the same time.
const NEWEST_ENTRIES = 50
