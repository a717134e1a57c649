import fc from "fast-check"
import { expect, it } from "vitest"
import { shorten } from "../../../src/shared/text/clean.ts"
import { markedLines, readMarks, withoutMarks } from "../../../src/views/session-file/marks.ts"
import { uuid } from "../../support/records.ts"

const text = fc
  .oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("a --> b", `<!-- ${uuid(9)} 00000000 -->`, "x\ny\r\n- z", "…👍"),
  )
  .map((words) => withoutMarks(shorten(words)))
const lines = fc
  .array(text, { minLength: 1, maxLength: 8 })
  .map((texts) => texts.map((each, n) => ({ id: uuid(n + 100), text: each })))
const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each))

function grown(head: Buffer, more: { id: string; text: string }[]): Buffer {
  return Buffer.concat([head, Buffer.from(markedLines(head, more))])
}

it("a file that only grew by our lines is untouched, and lists each of them, whatever the text", () => {
  fc.assert(
    fc.property(bytes, lines, lines, (head, first, second) => {
      const later = second.map(({ id, text: words }) => ({ id: id.replace("-8000-", "-9000-"), text: words }))
      const file = grown(grown(head, first), later)
      const { ids, isUntouched } = readMarks(file)
      expect(isUntouched).toBe(true)
      expect([...ids]).toEqual([...first, ...later].map(({ id }) => id))
      expect(file.subarray(0, head.length)).toEqual(head)
    }),
    { seed: 1 },
  )
})

it("no byte can be changed, put in or taken out unnoticed, up to the last mark and behind it", () => {
  fc.assert(
    fc.property(
      bytes,
      lines,
      fc.double({ min: 0, max: 1, noNaN: true }),
      bytes,
      fc.nat(20),
      (head, more, where, put, out) => {
        const file = grown(head, more)
        const at = Math.floor(where * file.length)
        const edited = Buffer.concat([file.subarray(0, at), put, file.subarray(at + out)])
        // What ends exactly behind a mark is a shorter file of ours: nothing in it tells that there was more.
        const isWhole =
          file.subarray(0, edited.length).equals(edited) && edited.toString("latin1").endsWith(" -->\n")
        fc.pre(!isWhole)
        expect(readMarks(edited).isUntouched).toBe(false)
      },
    ),
    { seed: 2, numRuns: 500 },
  )
})
