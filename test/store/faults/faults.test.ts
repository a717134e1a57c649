import { expect, it } from "vitest"
import { families } from "./families.ts"
import { openLab } from "./lab.ts"
import { isGood, renderTable } from "./table.ts"

// The short form of `npm run test:faults`, with coarser steps. Runs the built code (npm test builds first).
const titles: Readonly<Record<keyof typeof families, string>> = {
  kills:
    "killed before a call of a write, a fold or an undo, with others at work: nothing that was acknowledged is lost",
  stops:
    "stopped before a call, and woken after others have taken over: nothing that it does counts against theirs",
  failures: "a call that fails: what is refused is not in force, unless the error says that it may be",
  damage: "damage to any file is told, or changes nothing",
  readers: "as-of, log and undo beside folds: nothing is short, nothing is not found",
  crowd: "many processes with mixed operations: nothing is lost, and the log does not fork",
}
// Half a minute for all of them on a quiet machine.
const TIMEOUT_MS = 300_000

for (const [name, { short }] of Object.entries(families)) {
  it(
    `${titles[name]}`,
    async () => {
      await using lab = openLab()
      const rows = await short(lab)
      expect(
        rows.filter((row) => !isGood(row)),
        renderTable(rows),
      ).toEqual([])
      expect(rows.every(({ tries }) => tries > 0)).toBe(true)
    },
    TIMEOUT_MS,
  )
}
