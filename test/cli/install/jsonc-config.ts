import fc from "fast-check"

/** Valid OpenCode configs as a person might write them: comments, odd spacing, trailing commas, any line ending. */
export function jsoncConfig(): fc.Arbitrary<string> {
  const members = fc.uniqueArray(fc.oneof(plainMember, pluginMember), {
    maxLength: 4,
    selector: (member) => member.name,
  })
  return fc
    .record({
      bom: fc.constantFrom("", "\uFEFF"),
      eol: fc.constantFrom("\n", "\r\n"),
      before: trivia,
      body: members.chain((list) =>
        wrap(
          "{",
          list.map((member) => member.text),
          "}",
        ),
      ),
      after: trivia,
    })
    .map(({ bom, eol, before, body, after }) => bom + (before + body + after).replaceAll("\n", eol))
}

const trivia = fc
  .array(fc.constantFrom(" ", "  ", "\t", "\n", "\n    ", "// note\n", "/* one */", "/* two\n lines */"), {
    maxLength: 3,
  })
  .map((pieces) => pieces.join(""))

const value = fc.constantFrom('"text"', "1", "true", "null", '{"b": [1, 2]}', "[ ]", '{\n  "c": 1,\n}')
const plainMember = fc
  .record({ name: fc.constantFrom("$schema", "model", "agent", "mcp"), colon: trivia, value })
  .map(({ name, colon, value }) => ({ name, text: `"${name}":${colon}${value}` }))

const entry = fc.constantFrom('"a"', '"b@1.0.0"', '["c", {"plugin": []}]', '"./local.ts"')
const pluginMember = fc
  .tuple(
    trivia,
    fc.array(entry, { maxLength: 3 }).chain((entries) => wrap("[", entries, "]")),
  )
  .map(([colon, list]) => ({ name: "plugin", text: `"plugin":${colon}${list}` }))

/** Puts trivia at every place where it may stand, and perhaps a comma behind the last. */
function wrap(open: string, items: string[], close: string): fc.Arbitrary<string> {
  const gaps = fc.array(fc.tuple(trivia, trivia), { minLength: items.length, maxLength: items.length })
  return fc.tuple(gaps, trivia, fc.boolean()).map(([around, inside, trailing]) => {
    const parts = items.map((item, index) => {
      const [before = "", after = ""] = around[index] ?? []
      return `${before}${item}${after}${index < items.length - 1 || trailing ? "," : ""}`
    })
    return `${open}${parts.join("")}${inside}${close}`
  })
}
