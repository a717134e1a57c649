import { judgeRemoval } from "./deletes.ts"
import { childFrame, type Frame } from "./frame.ts"
import { judgeHiveCode } from "./hive-code.ts"
import type { Run } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { UNKNOWN } from "./unknown-text.ts"

/**
 * Looks through code of another language for what is plain to see: deleting a folder, writing a file of a given name,
 * running a command. It finds calls with literal text and does not parse the language, so it misses most of what code
 * does.
 */
export function judgeCode(code: string, frame: Frame, run: Run): void {
  // What is not looked at may be anything.
  if (code.length > MAX_CODE_CHARS) run.works(Number.POSITIVE_INFINITY)
  const text = code.slice(0, MAX_CODE_CHARS)
  const find = (pattern: RegExp) => matches(text, pattern, run)
  for (const match of find(REMOVES_WHOLE)) {
    const path = literal(match[1] ?? match[2])
    // A variable, in code that makes temporary folders: most likely one of these.
    if (path === UNKNOWN && TEMPORARY.test(text)) continue
    run.removes(path, frame, true)
    judgeRemoval(path, frame, run, true)
  }
  for (const path of [
    ...[...find(REMOVES_ONE)].map((match) => literal(match[1] ?? match[2])),
    ...unlinked(text, find),
  ]) {
    run.removes(path, frame, false)
    if (path !== UNKNOWN) judgeRemoval(path, frame, run, false)
  }
  for (const match of find(WRITES)) {
    const quoted = match[1] ?? match[2] ?? match[3]
    const path = literal(quoted)
    run.writes(path, frame)
    // Code that names the file a second time reads it, and writes back what it has changed.
    const isOnce = quoted !== undefined && text.indexOf(quoted) === text.lastIndexOf(quoted)
    if (isOnce && !ADDS.test(match[0])) judgeReplacement(path, frame, run)
  }
  for (const [, path = ""] of find(PERL_WRITES)) {
    run.writes(path, frame)
    judgeReplacement(path, frame, run)
  }
  for (const match of find(REPLACES)) {
    const [from, to] = [literal(match[1] ?? match[3]), literal(match[2] ?? match[4])]
    run.writes(to, frame)
    judgeReplacement(to, frame, run, { from, into: from.split("/").at(-1) ?? "", replacesLinks: true })
  }
  for (const match of find(RUNS)) {
    const [, program, words, list] = match
    const all = list ?? (words === undefined ? undefined : `${program},${words}`)
    if (all !== undefined) run.runProgram(all.split(",").map(literal), childFrame(frame, { stdin: "" }))
    else if (program !== undefined) run.runText(literal(program), childFrame(frame, { stdin: "" }))
  }
  judgeHiveCode(text, frame, run)
  if (FORKS.test(text)) run.destroys("starts itself over and over (a fork bomb)")
}

/** Each is judged, and some look through all of the text again. */
function* matches(text: string, pattern: RegExp, run: Run): Iterable<RegExpExecArray> {
  for (const match of text.matchAll(pattern)) {
    if (!run.works(MATCH_WORK + text.length / CHARS_PER_WORK)) return
    yield match
  }
}

/** `p = Path("x"); p.unlink()`, `for p in Path("x").glob("*.py"): p.unlink()`. */
function unlinked(text: string, find: (pattern: RegExp) => Iterable<RegExpExecArray>): string[] {
  const paths: string[] = []
  if (REMOVES_NAMED.test(text))
    for (const [, all, names] of find(LISTED_NAMES))
      paths.push(all === undefined ? `${literal(names)}/*` : literal(all))
  if (!/\.(unlink|rmdir)\s*\(/.test(text)) return paths
  for (const [, name = "", quoted] of find(NAMED_PATH))
    if (new RegExp(String.raw`\b${name}\s*\.\s*(unlink|rmdir)\s*\(`).test(text)) paths.push(literal(quoted))
  for (const [, folder, deep, names] of find(GLOBBED_PATH))
    paths.push(
      `${folder === undefined ? "." : literal(folder)}/${deep === undefined ? "" : "**/"}${names === undefined ? "*" : literal(names)}`,
    )
  return paths
}

/** A quoted text without its quotes; anything else is a value that cannot be known. */
function literal(source: string | undefined): string {
  const match = /^\s*[rfbu]?(['"`])(.*)\1\s*$/s.exec(source ?? "")
  const text = match?.[2]
  if (text === undefined) return UNKNOWN
  // Escapes and inserted values are the language's own; only the plainest are read.
  return text.replaceAll(/\$?\{[^}]*\}/g, UNKNOWN).replaceAll(/\\(['"`\\])/g, "$1")
}

const TEXT = String.raw`[rfbu]?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|${"`"}(?:[^${"`"}\\]|\\.)*${"`"})`
const OPEN = String.raw`\s*\(?\s*`
const REMOVES_WHOLE = new RegExp(
  String.raw`\b(?:rmtree|remove_tree|rm_rf|rm_r|remove_entry|rimraf(?:Sync|\.sync)?|emptyDirSync|removeSync)\b${OPEN}(${TEXT})?` +
    String.raw`|\b(?:rmSync|rmdirSync|rm|rmdir)\s*\(\s*(${TEXT})?[^)]{0,80}?recursive['"]?\s*:\s*true`,
  "g",
)
const REMOVES_ONE = new RegExp(
  String.raw`\b(?:os\.remove|unlink|unlinkSync|os\.unlink|File\.delete|rmSync|fs\.rm|Deno\.remove(?:Sync)?|truncateSync|os\.truncate|(?<![.\w])(?:remove|truncate)|unlink\s+glob)${OPEN}(${TEXT})` +
    String.raw`|\bPath\s*\(\s*(${TEXT})\s*\)\s*\.\s*(?:unlink|rmdir)\b`,
  "g",
)
const NAMED_PATH = new RegExp(String.raw`\b(\w{1,40})\s*=\s*(?:\w+\.)?Path\s*\(\s*(${TEXT})\s*\)`, "g")
const GLOBBED_PATH = new RegExp(
  String.raw`\bPath\s*\(\s*(${TEXT})?\s*\)\s*\.\s*(?:(r)?glob\s*\(\s*(${TEXT})|iterdir\s*\()`,
  "g",
)
/** What is removed has a name of its own; what was listed before is most likely meant. */
const REMOVES_NAMED = /\b(?:remove|unlink|unlinkSync|rmSync)\s*\(\s*(?:os\.path\.|path\.)?\w/
const LISTED_NAMES = new RegExp(
  String.raw`\bi?glob\s*\(\s*(${TEXT})|\b(?:listdir|scandir|readdirSync|readdir)\s*\(\s*(${TEXT})`,
  "g",
)
/** The second name gets what the first one is. */
const REPLACES = new RegExp(
  String.raw`\b(?:copyFileSync|copyFile|renameSync|fs\.rename|cpSync|os\.rename|os\.replace|(?<![.\w])rename|shutil\.(?:copy\w*|move))\s*\(?\s*(${TEXT})\s*,\s*(${TEXT})` +
    String.raw`|\bPath\s*\(\s*(${TEXT})\s*\)\s*\.\s*(?:rename|replace)\s*\(\s*(?:Path\s*\(\s*)?(${TEXT})`,
  "g",
)
const WRITES = new RegExp(
  String.raw`\b(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|file_put_contents|File\.write|Deno\.writeTextFile(?:Sync)?|Deno\.writeFile(?:Sync)?|Bun\.write)${OPEN}(${TEXT})` +
    String.raw`|\bopen(?:Sync)?\s*\(\s*(${TEXT})\s*,\s*(?:mode\s*=\s*)?['"][rbt]{0,2}[wax+]` +
    String.raw`|\bPath\s*\(\s*(${TEXT})\s*\)\s*\.\s*(?:write_text|write_bytes|touch|mkdir|open\s*\(\s*['"][wax])`,
  "g",
)
/** open(F, '>x') and open(F, '>', 'x'). */
const PERL_WRITES =
  /\bopen\s{0,20}\(?\s{0,20}(?:my\s{1,20})?[$\w]{1,40}\s{0,20},\s{0,20}['"]>\s{0,20}(?:['"]\s{0,20},\s{0,20}['"])?([^'"\n>$]{1,500})['"]/g
const RUNS = new RegExp(
  String.raw`\b(?:os\.system|os\.popen|os\.execute|subprocess\.\w+|check_output|check_call|Popen|execSync|exec|spawnSync|spawn|execFileSync|system|shell_exec|passthru|do shell script)${OPEN}` +
    String.raw`(?:(${TEXT})(?:\s*,\s*\[((?:\s*${TEXT}\s*,?)+)\])?|\[((?:\s*${TEXT}\s*,?)+)\])`,
  "g",
)
const FORKS =
  /\bfork\s+while\s+fork\b|\bwhile\s*(?:\(?\s*(?:1|True|true)\s*\)?)?\s*:?\s*\{?\s*(?:os\.)?fork\b/
/** Beside what is there, or only where nothing is. */
const ADDS = /^append|['"][rbt]*[ax]|\br[bt]*\+|touch$|mkdir$/
const TEMPORARY = /mkd?temp|tempfile|TemporaryDirectory|tmpdir|mktmpdir/i
/** In variables copied, as the rest of the work is counted. */
const MATCH_WORK = 30
const CHARS_PER_WORK = 100
const MAX_CODE_CHARS = 65_536
