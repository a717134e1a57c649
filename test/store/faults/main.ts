// npm run test:faults: the long form. Prints the table; ends with 1 if anything was lost, or not told.
import { killBeforeEachCall } from "./kills.ts"
import { type Lab, openLab } from "./lab.ts"
import { stopBeforeEachCall } from "./stops.ts"
import { isGood, type Row, renderTable } from "./table.ts"

const wanted = process.argv.slice(2)
const families = {
  kills: (lab: Lab) => killBeforeEachCall(lab, 1),
  stops: (lab: Lab) => stopBeforeEachCall(lab, Number(process.env["STEP"] ?? 1), 8, process.env["OP"]),
}
const rows: Row[] = []
for (const [name, run] of Object.entries(families)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const started = performance.now()
  await using lab = openLab()
  const found = await run(lab)
  rows.push(...found)
  process.stderr.write(`${name}: ${Math.round((performance.now() - started) / 1000)} s\n`)
}
process.stdout.write(`${renderTable(rows)}\n`)
process.exitCode = rows.every(isGood) ? 0 : 1
