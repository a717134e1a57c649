import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { round } from "./figures.ts"
import { barText, isMet } from "./report.ts"
import type { Figures, Findings, Section } from "./section.ts"

const FILE = new URL("./results.json", import.meta.url)

/** Puts a section's figures into results.json; the other sections keep theirs. */
export function keepResults(all: Section[], section: Section, findings: Findings, machine: string): void {
  const before: Record<string, unknown> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {}
  const bars = findings.bars.map((bar) => ({
    what: bar.what,
    measured: bar.value === undefined ? null : round(bar.value),
    wanted: barText(bar),
    met: bar.value === undefined ? null : isMet(bar),
  }))
  // Sections can be run one by one, so each says when and where its figures come from.
  const kept = {
    title: section.title,
    date: new Date().toISOString().slice(0, 10),
    machine,
    bars,
    figures: rounded(findings.figures),
    notes: findings.notes,
  }
  const after: Record<string, unknown> = { ...before, [section.name]: kept }
  const ordered = all.filter(({ name }) => name in after).map(({ name }) => [name, after[name]])
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`)
}

function rounded(figures: Figures): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => {
      if (typeof value === "number") return [name, round(value)]
      return [name, typeof value === "string" ? value : rounded(value)]
    }),
  )
}
