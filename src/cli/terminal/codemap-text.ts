import type {
  CodeScan,
  diffCode,
  FileGraph,
  graphOverview,
  inconsistenciesIn,
  todosInCode,
} from "../../project/codemap/answers.ts"
import type { Style } from "./style.ts"

export function scanText(scan: CodeScan, style: Style): string {
  return [
    style(
      "bold",
      `${scan.files.length} files, ${scan.edges.length} imports between them, ${scan.exports.length} exports, ${scan.todos.length} todos`,
    ),
    `${scan.changed} changed since the last scan`,
    ...section(
      "In a circle",
      scan.cycles.map((cycle) => [...cycle, cycle[0]].join(" → ")),
      style,
    ),
    ...section(
      "Imports that lead nowhere",
      scan.unresolved.map(({ from, line, spec }) => `${from}:${line} ${spec}`),
      style,
    ),
    ...section(
      "Not read whole",
      scan.notes.map(({ path, why }) => `${path}: ${why}`),
      style,
    ),
    ...limited(scan.limit, style),
  ].join("\n")
}

export function diffText(
  { since, files, limit }: Awaited<ReturnType<typeof diffCode>>,
  style: Style,
): string {
  if (since === null) return "There was no scan to compare with: run `hivemind codemap` first."
  const lines = files.map(({ path, change, ...lists }) => {
    const parts = Object.entries(lists).flatMap(([name, values]) =>
      values.length === 0 ? [] : [`${name.replace("_", " ")}: ${values.join(", ")}`],
    )
    return `${path} ${change}${parts.length === 0 ? "" : `\n    ${parts.join("\n    ")}`}`
  })
  const head = `${files.length} files changed since ${new Date(since).toISOString()}`
  return [style("bold", head), ...lines.map((line) => `  ${line}`), ...limited(limit, style)].join("\n")
}

export function inconsistencyText(
  { found, limit }: Awaited<ReturnType<typeof inconsistenciesIn>>,
  style: Style,
): string {
  const lines = found.map(({ file, line, what }) => `${style("bold", `${file}:${line}`)} ${what}`)
  return [
    ...(lines.length === 0 ? ["Nothing that is nearly certain."] : lines),
    ...limited(limit, style),
  ].join("\n")
}

export function todoText({ todos, limit }: Awaited<ReturnType<typeof todosInCode>>, style: Style): string {
  const lines = todos.map(
    ({ file, line, tag, text, context }) =>
      `${style("bold", `${file}:${line}`)} ${tag} ${text}${context === "" ? "" : `\n    ${style("dim", context)}`}`,
  )
  return [...(lines.length === 0 ? ["No todos."] : lines), ...limited(limit, style)].join("\n")
}

export function graphText(
  { path, imports, dependents, exports, todos, limit }: FileGraph,
  style: Style,
): string {
  const breaks = dependents.map(
    ({ path: each, distance, kind, through }) =>
      `${"  ".repeat(distance - 1)}${each}${kind === "type" ? " (types only)" : ""}${distance > 1 ? style("dim", ` through ${through}`) : ""}`,
  )
  return [
    style("bold", path),
    ...section(
      "Offers",
      exports.map(({ line, name, signature }) => `${line}: ${signature ?? name}`),
      style,
    ),
    ...section(
      "Imports",
      imports.map(({ to, kind }) => `${to} (${kind})`),
      style,
    ),
    ...section("May break if it is changed, the nearest first", breaks, style, Number.POSITIVE_INFINITY),
    ...section(
      "To do",
      todos.map(({ line, tag, text }) => `${line}: ${tag} ${text}`),
      style,
    ),
    ...(dependents.length === 0 ? ["Nothing in the project imports it."] : []),
    ...limited(limit, style),
  ].join("\n")
}

export function overviewText(found: Awaited<ReturnType<typeof graphOverview>>, style: Style): string {
  const { files, edges, most_used, cycles, unresolved, limit } = found
  return [
    style("bold", `${files} files, ${edges} imports between them, ${unresolved.length} that lead nowhere`),
    ...section(
      "Imported most",
      most_used.slice(0, SHOWN).map(({ path, dependents }) => `${path}: by ${dependents}`),
      style,
    ),
    ...section(
      "In a circle",
      cycles.map((cycle) => [...cycle, cycle[0]].join(" → ")),
      style,
    ),
    ...limited(limit, style),
  ].join("\n")
}

function section(title: string, lines: readonly string[], style: Style, most = SHOWN): string[] {
  if (lines.length === 0) return []
  const more = lines.length > most ? [`  and ${lines.length - most} more (--json has all)`] : []
  return ["", style("bold", title), ...lines.slice(0, most).map((line) => `  ${line}`), ...more]
}

function limited(limit: string | null, style: Style): string[] {
  return limit === null ? [] : ["", style("yellow", limit)]
}

const SHOWN = 20
