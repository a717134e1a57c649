import { figure } from "./figures.ts"
import type { Figures, Table } from "./section.ts"

/** A section's last result, as results.json has it. */
export interface KeptSection {
  title: string
  date: string
  commit?: string
  machine: string
  table?: Table
  bars: { what: string; measured: number | null; wanted: string; met: boolean | null }[]
  notes: string[]
  figures: Figures
}

export type KeptResults = Record<string, KeptSection>

/** docs/benchmarks.md. What misses its bar comes first. */
export function benchmarksPage(results: KeptResults): string {
  const sections = Object.entries(results)
  const bars = sections.flatMap(([name, { bars }]) => bars.map((bar) => ({ name, ...bar })))
  const behind = bars.filter(({ met }) => met === false)
  const unmeasured = bars.filter(({ met }) => met === null)
  const commits = new Set(sections.map(([, { commit }]) => commit))
  const isOne = commits.size === 1 && !commits.has(undefined)
  return [
    INTRODUCTION,
    `${bars.length} bars: ${bars.length - behind.length - unmeasured.length} met, ${behind.length} missed, ${unmeasured.length} not ` +
      `measured. ${isOne ? "All sections are of one commit." : "The sections are of several commits."}`,
    "## Where it is behind",
    behind.length === 0
      ? "Nowhere: every bar that was measured is met."
      : markdownTable(
          ["section", "what", "measured", "wanted"],
          behind.map(({ name, what, measured, wanted }) => [name, what, shown(measured), wanted]),
        ),
    ...sections.map(([name, section]) => sectionText(name, section)),
  ]
    .join("\n\n")
    .concat("\n")
}

function sectionText(
  name: string,
  { title, date, commit, machine, table, bars, notes }: KeptSection,
): string {
  const where = [commit === undefined ? [] : `commit ${commit}`, date, machine].flat().join(", ")
  const judged = bars.map(({ what, measured, wanted, met }) => [
    what,
    shown(measured),
    wanted,
    met === null ? "not measured" : met ? "met" : "**missed**",
  ])
  return [
    `## ${title}`,
    `\`npm run bench -- --only ${name}\`: ${where}`,
    ...(table === undefined ? [] : [markdownTable(table.head, table.rows)]),
    ...(judged.length === 0 ? [] : [markdownTable(["bar", "measured", "wanted", ""], judged)]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join("\n")]),
  ].join("\n\n")
}

function shown(measured: number | null): string {
  return measured === null ? "" : figure(measured)
}

function markdownTable(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${head.map((_, n) => escaped(cells[n] ?? "")).join(" | ")} |`
  return [line(head), line(head.map((_, n) => (n === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n")
}

const escaped = (cell: string) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;")

const INTRODUCTION = `# Benchmarks

<!-- Written by \`npm run bench\` from bench/results.json. Do not edit. -->

Measured beside what one would use instead, in the same run: no plugin, a JSON file with lock and rewrite, the published
\`@modelcontextprotocol/server-memory\`, and \`@tarquinen/opencode-dcp\` where it installs. \`npm run bench\` measures the built package on
your machine and writes this page; the sections that run long do so only with \`--only\`. How it is measured:
[bench/README.md](../bench/README.md).`
