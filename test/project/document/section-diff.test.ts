import { expect, it } from "vitest"
import { describeDiff, diffSections, sectionsOf } from "../../../src/project/document/sections.ts"

const diff = (before: string, after: string) => diffSections(sectionsOf(before), sectionsOf(after))
const nothing = { added: [], removed: [], changed: [], isReordered: false }

it.each<[string, string, string, Partial<ReturnType<typeof diff>>]>([
  ["nothing", "# A\nx", "# A\nx\n\n", {}],
  ["an edit", "# A\nx\n# B\ny", "# A\nx\n# B\nz", { changed: ["B"] }],
  ["a new section", "# A\nx", "# A\nx\n# B\ny", { added: ["B"] }],
  ["a section that is gone", "# A\nx\n# B\ny", "# B\ny", { removed: ["A"] }],
  ["another name", "# A\nx", "# B\nx", { added: ["B"], removed: ["A"] }],
  ["another order", "# A\nx\n# B\ny", "# B\ny\n# A\nx", { isReordered: true }],
  ["one more of the same heading, first", "# T\n1\n# T\n2", "# T\n0\n# T\n1\n# T\n2", { added: ["T"] }],
  ["one of two with the same heading edited", "# T\n1\n# T\n2", "# T\n3\n# T\n2", { changed: ["T"] }],
  ["all gone", "# A\nx", "", { removed: ["A"] }],
])("%s", (_, before, after, expected) => {
  expect(diff(before, after)).toEqual({ ...nothing, ...expected })
})

it("is told in a few words, however long the list", () => {
  expect(describeDiff({ ...nothing, changed: ["A"], added: ["B"], removed: ["C"] })).toBe(
    "A, B (new), C (gone)",
  )
  expect(describeDiff({ ...nothing, isReordered: true })).toBe("order of the sections")
  expect(describeDiff(nothing)).toBe("yes")
  const many = Array.from({ length: 90 }, (_, n) => `Heading ${n} ${"with many words ".repeat(20)}`)
  const words = describeDiff({ ...nothing, changed: many })
  expect(words).toMatch(/, 85 more$/)
  expect(words.length).toBeLessThan(300)
})
