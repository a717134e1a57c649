import { appendFileSync } from "node:fs"
import { expect, it } from "vitest"
import { follow, linesBackwards } from "../../../src/store/log/follower.ts"
import { entryLine, parseLine, sealLine } from "../../../src/store/log/line.ts"
import { segmentPath } from "../../../src/store/log/segments.ts"
import { trials } from "../../support/effort.ts"
import { aMem, anEntry, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"
import { randomFrom } from "../faults/random.ts"

it("what others write, up to the end of a segment and on in the next one, while it is being read is not passed over", async () => {
  const folder = await tempProject()
  const [first, second] = [1, 2].map((number) => segmentPath(folder, number))
  append(first, entry(1))
  let isWritten = false
  const found: (string | undefined)[] = []
  // The first reading has measured the file by now, so only a second reading finds this line.
  const isWanted = () => {
    if (!isWritten) {
      isWritten = true
      append(first, entry(2))
      append(first, sealLine(1))
      append(second, entry(3, 2))
    }
    return true
  }
  for (const each of follow(folder, { segment: 1, offset: 0 }, { isWanted }))
    if (each?.line.what === "entry") found.push(each.line.entry.id)
  expect(found).toEqual([1, 2, 3].map(uuid))
})

it("a damaged end of a segment does not hide the next one", async () => {
  const folder = await tempProject()
  append(segmentPath(folder, 1), entry(1))
  append(segmentPath(folder, 1), sealLine(1).replace("seal", "sael"))
  append(segmentPath(folder, 2), entry(2, 2))
  const found = [...follow(folder, { segment: 1, offset: 0 })].map((each) => each?.line.what)
  expect(found.filter((what) => what === "entry")).toHaveLength(2)
})

it("zeros that a power cut leaves behind a line do not hide it, at the end or before another line", async () => {
  const folder = await tempProject()
  const path = segmentPath(folder, 1)
  append(path, `${entry(1)}${"\0".repeat(300)}`)
  const at = { segment: 1, offset: 0 }
  const idsFound = () =>
    [...follow(folder, at)].map((each) =>
      each?.line.what === "entry" ? each.line.entry.id : each?.line.what,
    )
  expect(idsFound().filter(Boolean)).toEqual([uuid(1)])
  append(path, entry(2))
  expect(idsFound().filter(Boolean)).toEqual([uuid(2)])
  at.offset = 0
  expect(idsFound().filter(Boolean)).toEqual([uuid(1), uuid(2)])
})

function append(path: string | undefined, line: string): void {
  appendFileSync(path ?? "", `\n${line}`)
}

function entry(n: number, segment = 1, content = "Mem"): string {
  return entryLine(anEntry(n, [{ op: "add", kind: "mem", record: aMem(n, { content }) }]), segment)
}

it("reads the same entries from the end of a segment as from its start", async () => {
  for (let seed = 1; seed <= trials(60, 2000); seed++) {
    const folder = await tempProject()
    appendFileSync(segmentPath(folder, 1), randomSegment(randomFrom(seed)))
    expect(backwards(folder), `seed ${seed}`).toEqual(forwards(folder).reverse())
  }
})

/** Entries of all lengths, torn lines, empty lines, damaged seals, and sometimes a seal with lines after it. */
function randomSegment(random: () => number): string {
  let text = ""
  const count = Math.floor(random() * 60)
  for (let n = 1; n <= count; n++) {
    const length = Math.floor(random() * (random() < 0.1 ? 400_000 : 3000))
    const line = entry(n, 1, "ä".repeat(length / 2 + 1))
    const kind = random()
    if (kind < 0.05) text += `\n${line.slice(0, Math.floor(random() * line.length))}`
    else if (kind < 0.08) text += "\n\n"
    else if (kind < 0.1) text += `\n${sealLine(1).replace("seal", "sael")}`
    else if (kind < 0.12) text += `\n${sealLine(1)}`
    else text += `\n${line}`
  }
  return text
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
