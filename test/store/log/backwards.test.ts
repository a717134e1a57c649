import { appendFileSync } from "node:fs"
import { expect, it } from "vitest"
import { linesBackwards } from "../../../src/store/log/backwards.ts"
import { follow } from "../../../src/store/log/follower.ts"
import { entryLine, parseLine, sealLine } from "../../../src/store/log/line.ts"
import { segmentPath } from "../../../src/store/log/segments.ts"
import { trials } from "../../support/effort.ts"
import { aMem, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"
import { randomFrom } from "../faults/random.ts"

it("reads the same entries from the end of a segment as from its start", async () => {
  for (let seed = 1; seed <= trials(60, 2000); seed++) {
    const folder = await tempProject()
    appendFileSync(segmentPath(folder, 1), randomSegment(randomFrom(seed)))
    expect(backwards(folder), `seed ${seed}`).toEqual(forwards(folder).reverse())
  }
})

/** Entries of all lengths, with torn lines, empty lines, damaged seals, and sometimes a seal with late lines behind it. */
function randomSegment(random: () => number): string {
  let text = ""
  const count = Math.floor(random() * 60)
  for (let n = 1; n <= count; n++) {
    const length = Math.floor(random() * (random() < 0.1 ? 400_000 : 3000))
    const line = entry(n, length)
    const kind = random()
    if (kind < 0.05) text += `\n${line.slice(0, Math.floor(random() * line.length))}`
    else if (kind < 0.08) text += "\n\n"
    else if (kind < 0.1) text += `\n${sealLine(1).replace("seal", "sael")}`
    else if (kind < 0.12) text += `\n${sealLine(1)}`
    else text += `\n${line}`
  }
  return text
}

function entry(n: number, length: number): string {
  const record = aMem(n, { content: "ä".repeat(length / 2 + 1) })
  const ops = [{ op: "add" as const, kind: "mem" as const, record }]
  return entryLine({ id: uuid(n), at: record.created_at, by, writer: "w", clock: n, ops }, 1)
}

function backwards(folder: string): string[] {
  return [...linesBackwards(folder, 1)].flatMap((line) => (line === undefined ? [] : idIn(line)))
}

function forwards(folder: string): string[] {
  const lines = [...follow(folder, { segment: 1, offset: 0 }, { stopAtSeal: true })]
  return lines.flatMap((found) => (found?.line.what === "entry" ? found.line.entry.id : []))
}

function idIn(line: Buffer): string | [] {
  const parsed = parseLine(line, 1)
  return parsed.what === "entry" ? parsed.entry.id : []
}
