// npm run test:faults [family…]: the long form. Prints the table; ends with 1 if anything was lost, untold or wrong.
import { families } from "./families.ts"
import { openLab } from "./lab.ts"
import { isGood, newRow, type Row, renderTable } from "./table.ts"

const wanted = process.argv.slice(2)
const rows: Row[] = []
for (const [name, { long }] of Object.entries(families)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const started = performance.now()
  await using lab = openLab()
  try {
    rows.push(...(await long(lab)))
  } catch (error) {
    rows.push({ ...newRow(name), wrong: [error instanceof Error ? `${error.stack}` : String(error)] })
  }
  process.stderr.write(`${name}: ${Math.round((performance.now() - started) / 1000)} s\n`)
}
process.stdout.write(`${renderTable(rows)}\n`)
process.exitCode = rows.every(isGood) ? 0 : 1
