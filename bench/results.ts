import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { round } from "./figures.ts"
import { benchmarksPage, type KeptResults, type KeptSection } from "./page.ts"
import { barText, isMet } from "./report.ts"
import type { Figures, Findings, Section } from "./section.ts"

const FILE = new URL("./results.json", import.meta.url)
const PAGE = new URL("../docs/benchmarks.md", import.meta.url)

/** Puts a section's figures into results.json and onto the page; the other sections keep theirs. */
export function keepResults(all: Section[], section: Section, findings: Findings, machine: string): void {
  const before: KeptResults = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {}
  const bars = findings.bars.map((bar) => ({
    what: bar.what,
    measured: bar.value === undefined ? null : round(bar.value),
    wanted: barText(bar),
    met: bar.value === undefined ? null : isMet(bar),
  }))
  // Sections can be run one by one, so each says when and where its figures come from.
  const kept: KeptSection = {
    title: section.title,
    date: new Date().toISOString().slice(0, 10),
    commit: commitHere(),
    machine,
    table: findings.table,
    bars,
    figures: rounded(findings.figures),
    notes: findings.notes,
  }
  const after: KeptResults = { ...before, [section.name]: kept }
  const ordered = all.flatMap(({ name }) => {
    const found = after[name]
    return found === undefined ? [] : [[name, found] as const]
  })
  const results = Object.fromEntries(ordered)
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(PAGE, benchmarksPage(results))
}

function rounded(figures: Figures): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => {
      if (typeof value === "number") return [name, round(value)]
      return [name, typeof value === "string" ? value : rounded(value)]
    }),
  )
}

/** The commit that is measured; `-dirty` where files were changed since, results aside. */
export function commitHere(): string {
  const cwd = fileURLToPath(new URL("..", import.meta.url))
  const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" }).trim()
  const results = [
    "bench/results.json",
    "bench/soak-results.json",
    "docs/benchmarks.md",
    "docs/reliability.md",
  ]
  const isChanged =
    git("status", "--porcelain", "--", ".", ...results.map((path) => `:(exclude)${path}`)) !== ""
  return `${git("rev-parse", "--short", "HEAD")}${isChanged ? "-dirty" : ""}`
}
