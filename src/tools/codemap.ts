import type {
  CodeScan,
  diffCode,
  FileGraph,
  graphOverview,
  inconsistenciesIn,
  todosInCode,
} from "../project/codemap/answers.ts"
import type { FileDiff } from "../project/codemap/stored-map.ts"
import { path } from "../schemas/fields.ts"
import { action, defineTool, type ToolCaller } from "./tool.ts"

const where = { path: path.optional() }

export const codemapTool = defineTool(
  "codemap",
  "Know the code without reading it. graph: what a file imports, and what breaks if it changes. diff: since the last scan.",
  {
    scan: action(where, async (hive, caller, args) => {
      const { scanCode } = await answers()
      return scanView(await scanCode(hive, args.path, progress(caller)), args.path)
    }),
    diff: action({}, async (hive) => {
      const { diffCode } = await answers()
      return diffView(await diffCode(hive))
    }),
    inconsistencies: action(where, async (hive, _caller, args) => {
      const { inconsistenciesIn } = await answers()
      return inconsistencyView(await inconsistenciesIn(hive, args.path))
    }),
    todos: action(where, async (hive, _caller, args) => {
      const { todosInCode } = await answers()
      return todoView(await todosInCode(hive, args.path))
    }),
    graph: action(where, async (hive, _caller, args) => {
      const { graphAround, graphOverview } = await answers()
      return args.path === undefined
        ? overviewView(await graphOverview(hive))
        : graphView(await graphAround(hive, args.path))
    }),
  },
)

/** Loaded with the first map that is asked for. */
function answers() {
  return import("../project/codemap/answers.ts")
}

function progress({ running: { show } }: ToolCaller): (done: number, total: number) => void {
  return (done, total) => show({ title: `${done} of ${total} files`, output: "" })
}

/** Counts; and, of a file or folder, its exports. */
function scanView(scan: CodeScan, path: string | undefined) {
  const languages = new Map<string, number>()
  for (const { language } of scan.files) languages.set(language, (languages.get(language) ?? 0) + 1)
  const exports = path === undefined ? [] : scan.exports
  return {
    files: scan.files.length,
    languages: Object.fromEntries(languages),
    imports: scan.edges.length,
    exports: scan.exports.length,
    todos: scan.todos.length,
    changed_since_last_scan: scan.changed,
    ...listed("cycles", scan.cycles, (cycle) => cycle.join(" → ")),
    ...listed("unresolved", scan.unresolved, ({ from, line, spec }) => `${from}:${line} ${spec}`),
    ...listed(
      "offered",
      exports,
      ({ file, line, name, signature }) => `${file}:${line} ${signature ?? name}`,
    ),
    ...listed("notes", scan.notes, ({ path: each, why }) => `${each}: ${why}`),
    ...limited(scan.limit),
  }
}

function diffView({ since, files, limit }: Awaited<ReturnType<typeof diffCode>>) {
  return {
    since: since === null ? "never scanned" : new Date(since).toISOString(),
    count: files.length,
    ...listed("files", files, diffText),
    ...limited(limit),
  }
}

function inconsistencyView({ found, limit }: Awaited<ReturnType<typeof inconsistenciesIn>>) {
  return {
    count: found.length,
    ...listed("found", found, ({ file, line, what }) => `${file}:${line} ${what}`),
    ...limited(limit),
  }
}

function todoView({ todos, limit }: Awaited<ReturnType<typeof todosInCode>>) {
  return {
    count: todos.length,
    ...listed("todos", todos, ({ file, line, tag, text, context }) =>
      [`${file}:${line} ${tag} ${text}`, context].filter((part) => part !== "").join(" | "),
    ),
    ...limited(limit),
  }
}

function graphView({ path, imports, dependents, exports, todos, limit }: FileGraph) {
  return {
    path,
    ...listed("offers", exports, ({ line, name, signature }) => `${line} ${signature ?? name}`),
    ...listed("imports", imports, ({ to, kind }) => (kind === "import" ? to : `${to} (${kind})`)),
    dependents: dependents.length,
    ...listed("breaks", dependents, dependentText),
    ...listed("todos", todos, ({ line, tag, text }) => `${line} ${tag} ${text}`),
    ...limited(limit),
  }
}

function dependentText({ path, distance, kind, through }: FileGraph["dependents"][number]): string {
  if (distance > 1) return `${distance} ${path} through ${through}`
  return `1 ${path}${kind === "type" ? " (types only)" : ""}`
}

function overviewView(overview: Awaited<ReturnType<typeof graphOverview>>) {
  const { files, edges, most_used, cycles, unresolved, limit } = overview
  return {
    files,
    imports: edges,
    most_used: most_used.slice(0, MOST_USED).map(({ path, dependents }) => `${path}: ${dependents}`),
    ...listed("cycles", cycles, (cycle) => cycle.join(" → ")),
    unresolved: unresolved.length,
    ...limited(limit),
  }
}

function diffText({ path, change, ...lists }: FileDiff): string {
  const parts = Object.entries(lists).flatMap(([name, values]) =>
    values.length === 0 ? [] : [`${name.replace("_", " ")}: ${values.slice(0, DIFF_NAMES).join(", ")}`],
  )
  return [`${path} ${change}`, ...parts].join("; ")
}

/** The first values as text under a name, and their number where that is more. */
function listed<T>(
  name: string,
  values: readonly T[],
  textOf: (value: T) => string,
): Record<string, unknown> {
  if (values.length === 0) return {}
  return {
    [name]: values.slice(0, LIST_LIMIT).map(textOf),
    ...(values.length > LIST_LIMIT && { [`${name}_count`]: values.length }),
  }
}

function limited(limit: string | null): { limit?: string } {
  return limit === null ? {} : { limit }
}

const LIST_LIMIT = 40
const MOST_USED = 15
const DIFF_NAMES = 8
