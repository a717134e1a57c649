import { counted } from "../../shared/amounts.ts"
import { untakenFiles } from "./migrate.ts"

/** Says which files of older tools are not in the graph yet; undefined where there are none. */
export function untakenNotice(home: string): string | undefined {
  const names = untakenFiles(home).map(({ name }) => name)
  if (names.length === 0) return undefined
  const shown = names.slice(0, MAX_NAMES).join(", ")
  const more = names.length > MAX_NAMES ? ", …" : ""
  return `${counted(names.length, "file")} of an older tool not in the graph yet (${shown}${more}): \`hivemind migrate\` takes them over.`
}

const MAX_NAMES = 3
