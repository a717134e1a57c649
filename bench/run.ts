import { parseArgs } from "node:util"
import { machineLine } from "./machine.ts"
import { isMissed, renderBars, renderTable, verdictOn } from "./report.ts"
import { keepResults } from "./results.ts"
import { runSection } from "./run-section.ts"
import { openScratch } from "./scratch.ts"
import type { Bar, Section } from "./section.ts"
import { sections } from "./sections.ts"

const options = parseOptions(process.argv.slice(2), sections)
const machine = machineLine()
console.log(`${machine}\n`)

const scratch = openScratch()
const bars: Bar[] = []
try {
  for (const section of options.sections) {
    const findings = await runSection(section, scratch, options.isQuick)
    console.log(`${section.title}\n\n${renderTable(findings.table)}`)
    for (const line of [...findings.notes, ...(findings.list ?? [])]) console.log(`  ${line}`)
    console.log("")
    // A quick run is a smoke test: its few samples at small sizes are neither kept nor held against the bars.
    if (options.isQuick) continue
    console.log(renderBars(findings.bars))
    bars.push(...findings.bars)
    keepResults(sections, section, findings, machine)
  }
} finally {
  await scratch.remove()
}

if (options.isQuick) console.log("A quick run: bars are not judged, and results.json stays as it is.")
else console.log(verdictOn(bars))
process.exitCode = bars.some(isMissed) ? 1 : 0

interface Options {
  sections: Section[]
  isQuick: boolean
}

/** Reads `--only save,load`, `--million` and `--quick`. */
function parseOptions(args: string[], all: Section[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      million: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
    },
  })
  const short = all.filter((section) => section.isLong !== true).map((section) => section.name)
  const names = [...(values.only?.split(",") ?? short), ...(values.million ? ["million"] : [])]
  const unknown = names.filter((name) => !all.some((section) => section.name === name))
  if (unknown.length > 0) {
    const known = all.map((section) => section.name).join(", ")
    console.error(`There is no section ${unknown.join(", ")}; there are ${known}.`)
    process.exit(2)
  }
  return { sections: all.filter((section) => names.includes(section.name)), isQuick: values.quick }
}
