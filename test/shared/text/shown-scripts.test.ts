import fc from "fast-check"
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import {
  addSums,
  type CountedText,
  isCheap,
  type ScriptSum,
  scriptSumOf,
} from "../../../src/shared/text/shown-scripts.ts"
import { LANGUAGES } from "./languages.ts"

const SCRIPTS = { Hindi: "Devanagari", Arabic: "Arabic", Thai: "Thai", Greek: "Greek", Hebrew: "Hebrew" }
const english = LANGUAGES["English"] ?? []

describe.each(Object.entries(SCRIPTS))("answers in %s", (language, script) => {
  const said = LANGUAGES[language] ?? []
  const texts = [...said, ...said]

  it("show by their counts whether the model is as cheap as o200k", () => {
    expect(sumOf(texts, (text) => o200k(text).length)).toMatchObject({ script, isAll: true })
    expect(verdict(texts, (text) => o200k(text).length)).toBe(true)
    expect(verdict(texts, (text) => cl100k(text).length)).toBe(false)
  })

  it("never make a dearer model look cheap, however much English is between", () => {
    const picks = fc.array(fc.tuple(fc.nat(texts.length - 1), fc.nat(english.length - 1), fc.nat(60)), {
      minLength: 4,
      maxLength: 12,
    })
    fc.assert(
      fc.property(picks, (rows) => {
        const mixed = rows.map(([a, b, length]) => `${texts[a]} ${english[b]?.slice(0, length)}`)
        expect(verdict(mixed, (text) => cl100k(text).length)).not.toBe(true)
      }),
      { numRuns: 60, seed: 1 },
    )
  })

  it("say nothing if they are short, or if the host's count is implausible", () => {
    expect(verdict([texts[0]?.slice(0, 60) ?? ""], (text) => o200k(text).length)).toBeUndefined()
    expect(verdict(texts, () => 0)).toBeUndefined()
    expect(verdict(texts, (text) => Math.ceil(text.length / 5))).toBeUndefined()
    expect(verdict(texts, (text) => cl100k(text).length, false)).toBeUndefined()
  })
})

it("English, Russian and Chinese answers say nothing: there a safe count is a good one", () => {
  for (const language of ["English", "Russian", "Chinese"])
    expect(sumOf(LANGUAGES[language] ?? [], (text) => o200k(text).length)).toBeUndefined()
})

function verdict(texts: readonly string[], count: (text: string) => number, isAll = true) {
  const sum = sumOf(texts, count, isAll)
  return sum && isCheap(sum)
}

function sumOf(texts: readonly string[], count: (text: string) => number, isAll = true) {
  const counted = texts.map((text): CountedText => ({ text, tokens: count(text), isAll }))
  return counted.reduce<ScriptSum | undefined>((sum, each) => {
    const fresh = scriptSumOf(each)
    return fresh ? addSums(sum, fresh) : sum
  }, undefined)
}
