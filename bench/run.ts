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
const missed: Bar[] = []
try {
  for (const section of options.sections) {
    const findings = await runSection(section, scratch, options.isQuick)
    console.log(`${section.title}\n\n${renderTable(findings.table)}`)
    for (const note of findings.notes) console.log(`  ${note}`)
    console.log("")
    // A quick run is a smoke test: its few samples at small sizes are neither kept nor held against the bars.
    if (options.isQuick) continue
    console.log(renderBars(findings.bars))
    missed.push(...findings.bars.filter((bar) => !isMet(bar)))
    keepResults(sections, section, findings, machine)
  }
} finally {
  await scratch.remove()
}

if (options.isQuick) console.log("A quick run: bars are not judged, and results.json stays as it is.")
else console.log(missed.length === 0 ? "All bars met." : `MISSED:\n${renderBars(missed)}`)
process.exitCode = missed.length === 0 ? 0 : 1
