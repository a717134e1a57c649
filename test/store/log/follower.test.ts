import { appendFileSync } from "node:fs"
import { expect, it } from "vitest"
import { follow } from "../../../src/store/log/follower.ts"
import { entryLine, sealLine } from "../../../src/store/log/line.ts"
import { segmentPath } from "../../../src/store/log/segments.ts"
import { aMem, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

it("what others write, up to the end of a segment and on in the next one, while it is being read is not passed over", async () => {
  const folder = await tempProject()
  const [first, second] = [1, 2].map((number) => segmentPath(folder, number))
  append(first, entry(1))
  let isWritten = false
  const found: (string | undefined)[] = []
  // Its size is known by now, so this is read by a second look only.
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

function entry(n: number, segment = 1): string {
  const ops = [{ op: "add", kind: "mem", record: aMem(n) }] as const
  const at = new Date(0).toISOString()
  return entryLine({ id: uuid(n), at, by, writer: "here", clock: n, ops: [...ops] }, segment)
}
