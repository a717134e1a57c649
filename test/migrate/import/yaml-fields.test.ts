import { expect, it } from "vitest"
import { yamlFields } from "../../../src/migrate/import/yaml-fields.ts"

it("reads texts and lists in all the ways that YAML writes them", () => {
  const text = [
    "# a comment",
    "title: 'it''s'",
    'quoted: "a\\n#b: c" # not this',
    "plain: a, b: c # not this",
    "url: https://example.org/#here",
    "list: # not this",
    "  - '@ada'",
    "  - plain # not this",
    "  - >-",
    "    folded",
    "    text",
    "flat:",
    "- one",
    "- two",
    `flow: [@ada, "b, c", 'd', ]`,
    "folded: >-",
    "  one",
    "  two",
    "kept: |",
    "  one",
    "    two",
    "over: two",
    "  lines",
    "none: []",
    "empty:",
    "nothing: ~",
    "__proto__: text",
    "",
  ].join("\n")
  expect(Object.entries(yamlFields(text))).toEqual([
    ["title", "it's"],
    ["quoted", "a\n#b: c"],
    ["plain", "a, b: c"],
    ["url", "https://example.org/#here"],
    ["list", ["@ada", "plain", "folded text"]],
    ["flat", ["one", "two"]],
    ["flow", ["@ada", "b, c", "d"]],
    ["folded", "one two"],
    ["kept", "one\n  two"],
    ["over", "two lines"],
    ["none", []],
    ["empty", null],
    ["nothing", null],
    ["__proto__", "text"],
  ])
})

it.each([
  "a: [broken",
  "a: 'broken",
  'a: "\\q"',
  "id: b\n  title: c",
  "- a\n- b",
  "a: &x 1",
  "a: *x",
  "a: !!js b",
  "a: {b: c}",
  "just words",
  "\ta: b",
])("%j is refused: it is no list of fields", (text) => {
  expect(() => yamlFields(text)).toThrow("not a field")
})
