import type {
  CodeScan,
  diffCode,
  FileGraph,
  graphOverview,
  inconsistenciesIn,
  todosInCode,
} from "../project/codemap/answers.ts"
import type { FileDiff } from "../project/codemap/changes.ts"

/** A scan as the model reads it: counts, and of a file or a small folder what it offers. */
export function scanView(scan: CodeScan, path: string | undefined) {
  const languages = new Map<string, number>()
  for (const { language } of scan.files) languages.set(language, (languages.get(language) ?? 0) + 1)
  return {
    files: scan.files.length,
    languages: Object.fromEntries(languages),
    imports: scan.edges.length,
    exports: scan.exports.length,
    todos: scan.todos.length,
    changed_since_last_scan: scan.changed,
    ...listed(
      "cycles",
      scan.cycles.map((cycle) => cycle.join(" → ")),
    ),
    ...listed(
      "unresolved",
      scan.unresolved.map(({ from, line, spec }) => `${from}:${line} ${spec}`),
    ),
    ...(path !== undefined &&
      listed(
        "offered",
        scan.exports.map(({ file, line, name, signature }) => `${file}:${line} ${signature ?? name}`),
      )),
    ...listed(
      "notes",
      scan.notes.map(({ path: each, why }) => `${each}: ${why}`),
    ),
    ...limited(scan.limit),
  }
}

export function diffView({ since, files, limit }: Awaited<ReturnType<typeof diffCode>>) {
  return {
    since: since === null ? "never scanned" : new Date(since).toISOString(),
    count: files.length,
    ...listed("files", files.map(diffText)),
    ...limited(limit),
  }
}

export function inconsistencyView({ found, limit }: Awaited<ReturnType<typeof inconsistenciesIn>>) {
  return {
    count: found.length,
    ...listed(
      "found",
      found.map(({ file, line, what }) => `${file}:${line} ${what}`),
    ),
    ...limited(limit),
  }
}

export function todoView({ todos, limit }: Awaited<ReturnType<typeof todosInCode>>) {
  const lines = todos.map(
    ({ file, line, tag, text, context }) =>
      `${file}:${line} ${tag} ${text}${context === "" ? "" : ` | ${context}`}`,
  )
  return { count: todos.length, ...listed("todos", lines), ...limited(limit) }
}

export function graphView({ path, imports, dependents, exports, todos, limit }: FileGraph) {
  return {
    path,
    ...listed(
      "offers",
      exports.map(({ line, name, signature }) => `${line} ${signature ?? name}`),
    ),
    ...listed(
      "imports",
      imports.map(({ to, kind }) => (kind === "import" ? to : `${to} (${kind})`)),
    ),
    dependents: dependents.length,
    ...listed(
      "breaks",
      dependents.map(({ path: each, distance, kind, through }) =>
        distance === 1
          ? `1 ${each}${kind === "type" ? " (types only)" : ""}`
          : `${distance} ${each} through ${through}`,
      ),
    ),
    ...listed(
      "todos",
      todos.map(({ line, tag, text }) => `${line} ${tag} ${text}`),
    ),
    ...limited(limit),
  }
}

export function overviewView({
  files,
  edges,
  most_used,
  cycles,
  unresolved,
  limit,
}: Awaited<ReturnType<typeof graphOverview>>) {
  return {
    files,
    imports: edges,
    most_used: most_used.slice(0, MOST_USED).map(({ path, dependents }) => `${path}: ${dependents}`),
    ...listed(
      "cycles",
      cycles.map((cycle) => cycle.join(" → ")),
    ),
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

/** The first of them, and how many there are where that is more. */
function listed(name: string, values: readonly string[]): Record<string, unknown> {
  if (values.length === 0) return {}
  return {
    [name]: values.slice(0, LIST_LIMIT),
    ...(values.length > LIST_LIMIT && { [`${name}_count`]: values.length }),
  }
}

function limited(limit: string | null): { limit?: string } {
  return limit === null ? {} : { limit }
}

const LIST_LIMIT = 40
const MOST_USED = 15
const DIFF_NAMES = 8
