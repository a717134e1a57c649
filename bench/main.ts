import { isMet, renderBars } from "./bars.ts"
import { machineLine } from "./machine.ts"
import { parseOptions } from "./options.ts"
import { keepResults } from "./results.ts"
import { runSection } from "./run-section.ts"
import { openScratch } from "./scratch.ts"
import type { Bar } from "./section.ts"
import { sections } from "./sections.ts"
import { renderTable } from "./table.ts"

const options = parseOptions(process.argv.slice(2), sections)
const machine = machineLine()
console.log(`${machine}\n`)

const scratch = openScratch()
const bars: Bar[] = []
try {
  for (const section of options.sections) {
    const findings = await runSection(section, scratch, options.isQuick)
    console.log(`${section.title}\n\n${renderTable(findings.table)}`)
    for (const note of findings.notes) console.log(`  ${note}`)
    console.log(`\n${renderBars(findings.bars)}`)
    bars.push(...findings.bars)
    // A quick run is a smoke test: its few samples are no figures to keep.
    if (!options.isQuick) keepResults(sections, section, findings, machine)
  }
} finally {
  scratch.remove()
}

const missed = bars.filter((bar) => !isMet(bar))
console.log(missed.length === 0 ? "All bars met." : `MISSED:\n${renderBars(missed)}`)
if (missed.length > 0 && !options.isQuick) process.exitCode = 1
