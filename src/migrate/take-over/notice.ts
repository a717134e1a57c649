import { counted } from "../../shared/amounts.ts"
import { quarantineFile } from "../../store/files/quarantine-file.ts"
import { untakenFiles } from "./migrate.ts"

/** Says which files of older tools are not in the graph yet; undefined where there are none. */
export function untakenNotice(home: string): string | undefined {
  const names = untakenFiles(home).map(({ name }) => name)
  if (names.length === 0) return undefined
  const shown = names.slice(0, MAX_NAMES).join(", ")
  const more = names.length > MAX_NAMES ? ", …" : ""
  return `${counted(names.length, "file")} of an older tool not in the graph yet (${shown}${more}): \`hivemind migrate\` takes them over.`
}

/** Says how much of what other tools have left could not be used; undefined where all could. */
export function quarantineNotice(home: string): string | undefined {
  const count = quarantineFile(home).count()
  if (count === 0) return undefined
  return `${counted(count, "record")} of older or other tools in quarantine, with the reasons: .hivemind/graph/quarantine.jsonl`
}

const MAX_NAMES = 3
