import type { Frame } from "./frame.ts"
import type { Run } from "./program.ts"

/**
 * What code changes in HiveMind's own folder is not seen afterwards. So there a path is also followed where it stands in a
 * variable or is put together: `p = os.path.join(".hivemind", "x"); open(p, "w")`. Reading stays free.
 */
export function judgeHiveCode(text: string, frame: Frame, run: Run): void {
  if (!HIVE.test(text) || !run.works(text.length / CHARS_PER_WORK)) return
  const names = new Set<string>()
  const leadsThere = (value: string) =>
    HIVE.test(value) || (value.match(/[A-Za-z_]\w*/g) ?? []).some((word) => names.has(word))
  for (const [, name = "", value = ""] of text.matchAll(ASSIGNED))
    if (names.size < MAX_NAMES && leadsThere(value) && isPath(value)) names.add(name)
  if (targetsIn(text).some((target) => leadsThere(target) && isPath(target))) run.writes(".hivemind", frame)
}

function targetsIn(text: string): string[] {
  const given = [CHANGES_FIRST, CHANGES_OPENED].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, target = ""]) => target),
  )
  const before = (at: number) => text.slice(Math.max(at - MAX_TARGET, 0), at)
  const own = [...text.matchAll(CHANGES_OWN)].map(
    ({ index }) =>
      before(index)
        .split(/[;:=\n]/)
        .at(-1) ?? "",
  )
  return [...given, ...own]
}

/** It is a name, and not what has been read from there. */
function isPath(value: string): boolean {
  return [...value.matchAll(/(\w+)\s*\(/g)].every(([, call = ""]) => JOINS.test(call))
}

/** Notes for people are no part of it. */
const HIVE = /\.hivemind(?=['"`/\\])(?!\/artifacts|['"`]\s{0,9}\)?\s{0,9}[,/+]\s{0,9}['"`]\/?artifacts)/i
const JOINS = /^(Path|join|resolve|abspath|absolute|getcwd|cwd|normalize|str|String)$/
const ASSIGNED = /\b([A-Za-z_]\w{0,40})\s{0,9}=(?!=)([^;\n]{1,300})/g
const ARGUMENT = String.raw`((?:[^(),;\n]|\((?:[^()\n]|\([^()\n]{0,100}\)){0,200}\)){1,200})`
const CHANGES_FIRST = new RegExp(
  String.raw`\b(?:writeFile|appendFile|createWriteStream|file_put_contents|remove|unlink|rmtree|rm|rmdir|truncate|rename|os\.replace|move|mkdir|makedirs)(?:Sync)?\s{0,9}\(${ARGUMENT}`,
  "g",
)
const CHANGES_OPENED = new RegExp(
  String.raw`\bopen(?:Sync)?\s{0,9}\(${ARGUMENT},\s{0,9}(?:mode\s{0,9}=\s{0,9})?['"][rbt]{0,2}[wax+]`,
  "g",
)
const CHANGES_OWN =
  /\.\s{0,9}(?:write_text|write_bytes|unlink|rmdir|rename|touch|mkdir|open\s{0,9}\(\s{0,9}['"][wax])/g
const MAX_TARGET = 200
const MAX_NAMES = 20
/** In variables copied, as the rest of the work is counted. */
const CHARS_PER_WORK = 100
