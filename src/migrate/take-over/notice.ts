import { existsSync } from "node:fs"
import type { Hive } from "../../hive/hive.ts"
import { counted } from "../../shared/amounts.ts"
import { quarantineFile } from "../../store/files/quarantine-file.ts"
import { readMigrations } from "../../store/migrations.ts"
import { untakenFiles } from "./migrate.ts"
import { unmovedFiles } from "./taken-files.ts"
import { allUnderWay } from "./under-way.ts"

/** Says which files of older tools are not in the graph yet; undefined where there are none. */
export function untakenNotice(home: string): string | undefined {
  const names = untakenFiles(home).map(({ name, isUnreadable }) =>
    isUnreadable === true ? `${name}, which cannot be read` : name,
  )
  if (names.length === 0) return undefined
  return `${counted(names.length, "file")} of an older tool not in the graph yet (${listed(names)}): \`hivemind migrate\` takes them over.`
}

/** Says which files of older tools are in the graph and could not be kept aside; undefined where all could. */
export function unmovedNotice(home: string): string | undefined {
  const names = unmovedFiles(home)
  if (names.length === 0) return undefined
  const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"]
  return `${counted(names.length, "file")} of an older tool ${are} in the graph and could not be moved to .bak (${listed(names)}): \`hivemind migrate\` moves ${them}.`
}

/** Says that another clone has taken records back after files were taken over here, which may hold them too; else undefined. */
export async function takenBackNotice({
  home,
  store,
}: Pick<Hive, "home" | "store">): Promise<string | undefined> {
  const ends = readMigrations(home).flatMap(({ state, finished_at }) =>
    state === "done" ? (finished_at ?? []) : [],
  )
  const last = ends.sort().at(-1)
  if (last === undefined) return undefined
  const undone = (await store.log({ tool: UNDO })).filter(({ brought = "" }) => brought > last)
  const gone = undone.flatMap(({ ops }) => ops).filter(({ op }) => op === "drop").length
  if (gone === 0) return undefined
  return `Another clone has since taken ${counted(gone, "record")} back. Where they are missed here, \`hivemind migrate --undo\` and then \`hivemind migrate\` take them over again.`
}

/** Says of which other folders not all is in the graph that was to be. */
export function brokenOffNotices(home: string): string[] {
  const folders = allUnderWay(home).flatMap(({ from }) => from ?? [])
  return folders.map((folder) =>
    existsSync(folder)
      ? `Not all of ${folder} is in the graph yet: ${fromCommand(folder)} goes on, and so does the next session.`
      : `Not all of ${folder} is in the graph, and it is not there any more: ${fromCommand(folder)} ends it as it is.`,
  )
}

/** What to type to take over another folder's files. */
export function fromCommand(folder: string): string {
  return `\`hivemind migrate --from ${/^[\w./@:+-]+$/.test(folder) ? folder : JSON.stringify(folder)}\``
}

/** Says how much of what other tools have left could not be used; undefined where all could. */
export function quarantineNotice(home: string): string | undefined {
  const count = quarantineFile(home).count()
  if (count === 0) return undefined
  return `${counted(count, "record")} of older or other tools in quarantine, with the reasons: .hivemind/graph/quarantine.jsonl`
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ["…"] : [])].join(", ")
}

const UNDO = "migrate --undo"
const MAX_NAMES = 3
