import type {
  CodeScan,
  diffCode,
  FileGraph,
  graphOverview,
  inconsistenciesIn,
  todosInCode,
} from "../project/codemap/answers.ts"
import type { FileDiff } from "../project/codemap/stored-map.ts"

export function codeScanView(scan: CodeScan, path: string | undefined) {
  const languages = new Map<string, number>()
  for (const { language } of scan.files) languages.set(language, (languages.get(language) ?? 0) + 1)
  const exports = path === undefined ? [] : scan.exports
  return {
    files: scan.files.length,
    languages: Object.fromEntries(languages),
    imports: scan.has_parser ? scan.edges.length : NOT_KNOWN,
    exports: scan.has_parser ? scan.exports.length : NOT_KNOWN,
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

export function diffView({ since, files, limit }: Awaited<ReturnType<typeof diffCode>>) {
  return {
    since: since === null ? "never scanned" : new Date(since).toISOString(),
    count: files.length,
    ...listed("files", files, diffText),
    ...limited(limit),
  }
}

export function inconsistencyView({ found, limit }: Awaited<ReturnType<typeof inconsistenciesIn>>) {
  return {
    count: found.length,
    ...listed("found", found, ({ file, line, what }) => `${file}:${line} ${what}`),
    ...limited(limit),
  }
}

export function todoView({ todos, limit }: Awaited<ReturnType<typeof todosInCode>>) {
  return {
    count: todos.length,
    ...listed("todos", todos, ({ file, line, tag, text, context }) =>
      [`${file}:${line} ${tag} ${text}`, context].filter((part) => part !== "").join(" | "),
    ),
    ...limited(limit),
  }
}

export function codeGraphView({ path, imports, dependents, exports, todos, limit, has_parser }: FileGraph) {
  return {
    path,
    ...listed("offers", exports, ({ line, name, signature }) => `${line} ${signature ?? name}`),
    ...listed("imports", imports, ({ to, kind }) => (kind === "import" ? to : `${to} (${kind})`)),
    dependents: has_parser ? dependents.length : NOT_KNOWN,
    ...listed("breaks", dependents, dependentText),
    ...listed("todos", todos, ({ line, tag, text }) => `${line} ${tag} ${text}`),
    ...limited(limit),
  }
}

function dependentText({ path, distance, kind, through }: FileGraph["dependents"][number]): string {
  if (distance > 1) return `${distance} ${path} through ${through}`
  return `1 ${path}${kind === "type" ? " (types only)" : ""}`
}

export function overviewView(overview: Awaited<ReturnType<typeof graphOverview>>) {
  const { files, edges, most_used, cycles, unresolved, limit, has_parser } = overview
  return {
    files,
    imports: has_parser ? edges : NOT_KNOWN,
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

/** The first values as texts, under `name`. If some are left out, `<name>_count` is the number of all. */
function listed<T>(name: string, values: readonly T[], textOf: (value: T) => string) {
  if (values.length === 0) return {}
  return {
    [name]: values.slice(0, LIST_LIMIT).map(textOf),
    ...(values.length > LIST_LIMIT && { [`${name}_count`]: values.length }),
  }
}

const limited = (limit: string | null): { limit?: string } => (limit === null ? {} : { limit })

const NOT_KNOWN = "not known"
const LIST_LIMIT = 40
const MOST_USED = 15
const DIFF_NAMES = 8
