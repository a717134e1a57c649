import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import {
  diffCode,
  type FileGraph,
  graphAround,
  graphOverview,
  inconsistenciesIn,
  scanCode,
  todosInCode,
} from "../project/codemap/answers.ts"
import { PACKAGE, parserCache } from "../project/codemap/parser.ts"
import { HiveError } from "../shared/error.ts"
import { installParser } from "./install/install-parser.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { cleanValues } from "./terminal/output.ts"
import { ask, declined } from "./terminal/person.ts"
import { withFileProgress, withProgress } from "./terminal/progress.ts"
import { type Style, section } from "./terminal/style.ts"

interface CodemapOptions {
  install?: boolean
  yes?: boolean
}

/** Imports, exports, comments, todos and circles of the code, and what breaks if a file is changed. */
export const codemapCommand: CliCommand<CodemapOptions> = {
  configure(command: Command) {
    command
      .addArgument(
        command.createArgument("[what]", "the part to show (default: scan)").choices(Object.keys(PARTS)),
      )
      .argument("[path]", "only of this file or folder; with graph: its dependents")
      .option("--install", `get the parser for TypeScript and JavaScript (${PACKAGE}) for all your projects`)
      .option("--yes", "with --install: do not ask")
      .addHelpText("after", "\nExample: hivemind scan codemap graph src/auth/session.ts")
  },

  run: (input) =>
    input.options.install === true
      ? install(input)
      : withHive(input, ({ hive }) =>
          withFileProgress(input.io, async (onProgress) => {
            const [what = "scan", path] = input.args
            const answer = PARTS[what as keyof typeof PARTS]
            const { found, lines, trouble } = await answer(hive, path, input.style, onProgress)
            const limit = found.limit === null ? [] : ["", input.style("yellow", found.limit)]
            return { data: { ...found }, text: [...lines, ...limit], trouble: trouble === true }
          }),
        ),
}

interface Answer {
  /** `limit`: the facts that the map lacks without a parser. */
  found: { limit: string | null }
  lines: readonly string[]
  trouble?: boolean
}

type Part = (
  hive: Hive,
  path: string | undefined,
  style: Style,
  onProgress: (done: number, total: number) => void,
) => Promise<Answer>

const PARTS: Record<"scan" | "diff" | "inconsistencies" | "todos" | "graph", Part> = {
  async scan(hive, path, style, onProgress) {
    const found = await scanCode(hive, path, onProgress)
    const { files, edges, exports, todos, changed, cycles, unresolved, notes } = cleanValues(found)
    const known = found.has_parser
      ? `${edges.length} imports between them, ${exports.length} exports, ${todos.length} todos`
      : `${todos.length} todos; imports and exports are not known`
    const lines = [
      style("bold", `${files.length} files, ${known}`),
      `${changed} changed since the last scan`,
      ...block("In a circle", cycles.map(cycleText), style),
      ...block(
        "Imports that lead nowhere",
        unresolved.map(({ from, line, spec }) => `${from}:${line} ${spec}`),
        style,
      ),
      ...block(
        "Not read whole",
        notes.map((note) => `${note.path}: ${note.why}`),
        style,
      ),
    ]
    return { found, lines }
  },

  async diff(hive, _path, style) {
    const found = await diffCode(hive)
    const { since, files } = cleanValues(found)
    if (since === null)
      return { found, lines: ["There was no scan to compare with: run `hivemind scan codemap` first."] }
    const changes = files.flatMap(({ path, change, ...lists }) => [
      `  ${path} ${change}`,
      ...Object.entries(lists).flatMap(([name, values]) =>
        values.length === 0 ? [] : [`    ${name.replace("_", " ")}: ${values.join(", ")}`],
      ),
    ])
    const head = `${files.length} files changed since ${new Date(since).toISOString()}`
    return { found, lines: [style("bold", head), ...changes] }
  },

  async inconsistencies(hive, path, style) {
    const found = await inconsistenciesIn(hive, path)
    const lines = cleanValues(found.found).map(
      ({ file, line, what }) => `${style("bold", `${file}:${line}`)} ${what}`,
    )
    return {
      found,
      lines: lines.length === 0 ? ["Nothing that is nearly certain."] : lines,
      trouble: lines.length > 0,
    }
  },

  async todos(hive, path, style) {
    const found = await todosInCode(hive, path)
    const lines = cleanValues(found.todos).flatMap(({ file, line, tag, text, context }) => [
      `${style("bold", `${file}:${line}`)} ${tag} ${text}`,
      ...(context === "" ? [] : [`    ${style("dim", context)}`]),
    ])
    return { found, lines: lines.length === 0 ? ["No todos."] : lines }
  },

  async graph(hive, path, style) {
    if (path !== undefined) {
      const found = await graphAround(hive, path)
      return { found, lines: fileGraphLines(cleanValues(found), style) }
    }
    const found = await graphOverview(hive)
    const { files, edges, most_used, cycles, unresolved } = cleanValues(found)
    const imports = found.has_parser
      ? `${edges} imports between them, ${unresolved.length} that lead nowhere`
      : "their imports are not known"
    const lines = [
      style("bold", `${files} files, ${imports}`),
      ...block(
        "Imported most",
        most_used.slice(0, MAX_LINES).map((each) => `${each.path}: by ${each.dependents}`),
        style,
      ),
      ...block("In a circle", cycles.map(cycleText), style),
    ]
    return { found, lines }
  },
}

function fileGraphLines(
  { path, imports, dependents, exports, todos, has_parser }: FileGraph,
  style: Style,
): string[] {
  const breaks = dependents.map(({ path: each, distance, kind, through }) => {
    const by = distance > 1 ? style("dim", ` through ${through}`) : ""
    return `${"  ".repeat(distance - 1)}${each}${kind === "type" ? " (types only)" : ""}${by}`
  })
  return [
    style("bold", path),
    ...block(
      "Exports",
      exports.map(({ line, name, signature }) => `${line}: ${signature ?? name}`),
      style,
    ),
    ...block(
      "Imports",
      imports.map(({ to, kind }) => `${to} (${kind})`),
      style,
    ),
    ...block("May break if it is changed, the nearest first", breaks, style, Number.POSITIVE_INFINITY),
    ...block(
      "Todos",
      todos.map(({ line, tag, text }) => `${line}: ${tag} ${text}`),
      style,
    ),
    ...(dependents.length === 0 && has_parser ? ["Nothing in the project imports it."] : []),
  ]
}

function block(title: string, lines: readonly string[], style: Style, max = MAX_LINES): string[] {
  return lines.length === 0 ? [] : ["", ...section(style("bold", title), lines, max)]
}

function cycleText(cycle: readonly string[]): string {
  return [...cycle, cycle[0]].join(" → ")
}

async function install({ options, io }: CliInput<CodemapOptions>): Promise<CliResult> {
  const folder = parserCache()
  const question = `Download ${PACKAGE} (about 5 MB) to ${folder}?`
  if (options.yes !== true && !(await ask(question, "scan codemap --install", io)))
    return declined({ installed: false }, "Nothing was installed.")
  const failure = await withProgress("Installing", io, () => installParser(folder))
  if (failure === null) return { data: { installed: true, folder }, text: `${PACKAGE} is in ${folder}.` }
  throw new HiveError({
    code: "not_writable",
    what: `${PACKAGE} was not installed.`,
    why: "npm could not do it.",
    use_instead: `Run \`npm install ${PACKAGE}\` in the project, or see what npm says.`,
    evidence: failure,
  })
}

const MAX_LINES = 20
