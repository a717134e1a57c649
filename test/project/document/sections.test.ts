import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { describeDiff, diffSections, sectionsOf } from "../../../src/project/document/sections.ts"

const headings = (markdown: string) => sectionsOf(markdown).map(({ heading }) => heading)
const lines = (...texts: string[]) => texts.join("\n")

describe("the sections of a document", () => {
  it.each<[string, string, string[]]>([
    ["nothing", "", []],
    ["text before the first heading", "Hello\n\n# A\nx", ["(beginning)", "A"]],
    ["nested headings", "# A\nx\n## B\ny\n### C\nz\n# D", ["A", "B", "C", "D"]],
    ["a closing row of marks", "## A ##\n# B #C\n# D#", ["A", "B #C", "D#"]],
    ["up to three blanks before", "   # A\n    # code\n\t# code", ["A"]],
    ["no heading without a blank, or with seven marks", "#A\n####### B", ["(beginning)"]],
    ["a heading without words", "#\nx\n## \ny", ["(no heading)", "(no heading)"]],
    ["a fence", "# A\n```sh\n# no heading\n```\n# B", ["A", "B"]],
    ["a fence of the other kind inside", "# A\n~~~\n```\n# no\n~~~\n# B", ["A", "B"]],
    ["a longer fence around a shorter one", "````\n```\n# no\n```\n# no\n````\n# B", ["(beginning)", "B"]],
    ["a mark with words does not close", "```\n# no\n``` x\n# no\n```\n# B", ["(beginning)", "B"]],
    ["a fence that is never closed", "# A\n```\n# no\n# no", ["A"]],
    ["code in a line is no fence", "```x``` y\n# A", ["(beginning)", "A"]],
    ["a byte order mark", "\ufeff# A", ["A"]],
  ])("%s", (_, markdown, expected) => {
    expect(headings(markdown)).toEqual(expected)
  })

  it("a heading's own text counts, not what is in the sections below it", () => {
    const before = sectionsOf(lines("# A", "one", "## B", "two"))
    const after = sectionsOf(lines("# A", "one", "## B", "three"))
    expect(after[0]).toEqual(before[0])
    expect(after[1]).not.toEqual(before[1])
  })
})

const word = fc.constantFrom<string[]>(
  "alpha",
  "beta",
  "`code`",
  "- item",
  "| a | b |",
  "    # indented",
  "",
  "x # y",
)
const section = fc.record({
  heading: fc.constantFrom<string[]>("Goal", "Steps", "Risks", "Open questions", "Goal"),
  level: fc.integer({ min: 1, max: 4 }),
  body: fc.array(word, { maxLength: 5 }),
  code: fc.option(fc.constantFrom<string[]>("# in a fence", "## Goal", "~~~"), { nil: undefined }),
})
type Part = (typeof section extends fc.Arbitrary<infer P> ? P : never) & { mark?: string }

/** Each section ends with a line of text, so that an edit at its end is not taken for trailing blanks. */
function render(parts: readonly Part[]): string {
  return parts
    .map(({ heading, level, body, code, mark = "end" }) =>
      lines(
        `${"#".repeat(level)} ${heading}`,
        ...body,
        ...(code === undefined ? [] : ["```", code, "```"]),
        mark,
        "",
      ),
    )
    .join("\n")
}

describe("for any document", () => {
  it("line ends and trailing blanks change nothing", () => {
    const blanks = fc.constantFrom("", " ", "  ", "\t", " \t ")
    fc.assert(
      fc.property(fc.array(section, { maxLength: 8 }), blanks, fc.nat(3), (parts, trailing, ends) => {
        const text = render(parts)
        const other = `${text.replaceAll("\n", `${trailing}\r\n`)}${`${trailing}\r\n`.repeat(ends)}`
        expect(sectionsOf(other)).toEqual(sectionsOf(text))
        expect(sectionsOf(text.replaceAll("\n", "\r"))).toEqual(sectionsOf(text))
      }),
      { numRuns: 300, seed: 6 },
    )
  })

  it("an edit is noticed in exactly the sections that were edited", () => {
    const cases = fc.array(section, { minLength: 1, maxLength: 8 }).chain((parts) =>
      fc.record({
        parts: fc.constant(parts),
        edited: fc.subarray(parts.map((_, n) => n)),
        removed: fc.option(fc.nat(parts.length - 1), { nil: undefined }),
        added: fc.option(fc.nat(parts.length), { nil: undefined }),
      }),
    )
    fc.assert(
      fc.property(cases, ({ parts, edited, removed, added }) => {
        // Each section has its own text, so that sections with the same heading can be told apart.
        const before: Part[] = parts.map((part, n) => ({ ...part, mark: `end ${n}` }))
        const changed = edited.filter((n) => n !== removed)
        const after = before.flatMap((part, n) => {
          const news = n === added ? [NEW] : []
          if (n === removed) return news
          return [...news, changed.includes(n) ? { ...part, mark: `edited ${n}` } : part]
        })
        if (added === parts.length) after.push(NEW)
        const diff = diffSections(sectionsOf(render(before)), sectionsOf(render(after)))
        const gone = removed === undefined ? [] : [before[removed]?.heading]
        // If two sections have one heading, and one is removed and the other edited, the diff may swap them. The sorted
        // headings are the same.
        expect([...diff.changed, ...diff.removed].sort()).toEqual(
          [...changed.map((n) => before[n]?.heading), ...gone].sort(),
        )
        expect(diff.added).toEqual(added === undefined ? [] : [NEW.heading])
        expect(diff.isReordered).toBe(false)
      }),
      { numRuns: 500, seed: 7 },
    )
  })
})

const NEW: Part = {
  heading: "Brand new",
  level: 2,
  body: ["words"],
  code: undefined,
  mark: "end of the new one",
}

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

it("is described in a few words, however long the list", () => {
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
