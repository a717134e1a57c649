import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { countTokens, vocabularyOf } from "../../../src/shared/text/tokens.ts"
import { tools } from "../../../src/tools/index.ts"

const REAL = {
  any: (text: string) => Math.max(o200k(text).length, cl100k(text).length),
  o200k: (text: string) => o200k(text).length,
} as const
const VOCABULARIES = ["any", "o200k"] as const
const hash = (n: number) => createHash("sha256").update(`${n}`).digest("hex")
const twenty = (make: (n: number) => string) => Array.from({ length: 20 }, (_, n) => make(n))
const root = new URL("../../../", import.meta.url)

/** The messages of zod: a few dozen short texts in each of fifty languages. */
const locales = new URL("node_modules/zod/v4/locales/", root)
const MESSAGES = readdirSync(locales)
  .filter((name) => /^[a-z]{2}(-[A-Z]{2})?\.js$/.test(name))
  .map((name) => {
    const strings = [...readFileSync(new URL(name, locales), "utf8").matchAll(/"([^"\n]+)"|`([^`]+)`/g)]
    const texts = strings.map(([, plain, filled]) => (plain ?? filled ?? "").replaceAll(/\$\{[^}]*\}/g, "x"))
    return { name, texts: texts.filter((text) => text.length > 8) }
  })
  .filter(({ texts }) => texts.length > 0)
// In many scripts, and with words of many lengths.
const FILLING = /^(ar|de|en|es|fi|he|id|ja|ko|pl|ru|th|tr|vi|zh-CN)\.js$/

const TEXTS: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    MESSAGES.filter(({ name }) => FILLING.test(name)).map(({ name, texts }) => [name, texts]),
  ),
  digits: twenty((n) => String(BigInt(`0x${hash(n)}`)).slice(0, 20 + n)),
  numbers: twenty((n) => `${n * 7919} of ${n * 104_729}, ${n * 31.7} %, 2026-02-${10 + n} 14:30:${10 + n}`),
  hex: twenty(hash),
  commits: twenty((n) => `fixed in ${hash(n).slice(0, 8)} after ${hash(n + 50).slice(0, 12)}`),
  base64: twenty((n) => Buffer.from(hash(n) + hash(n + 9), "hex").toString("base64")),
  code: readFileSync(new URL("src/store/writer.ts", root), "utf8").split("\n\n"),
  names: [
    "getUserName(request) in src/knowledge/recall/words.ts:120 reads AWS_ACCESS_KEY for the XMLHttpRequest",
    "rename `created_at` to `createdAt` in `OrderRepository.findAllByCustomer`, see packages/server/src/index.ts",
  ],
  "schemas of tools": tools.map((tool) => JSON.stringify(tool.schema())),
  "packed state": readFileSync(new URL("test/context/pack/golden/mid-task.xml", root), "utf8").split("\n"),
}

// The lowest share of real tokens that an estimate may reach. o200k varies more between languages of one alphabet.
const LEAST_USED = { any: 0.6, o200k: 0.5 } as const

describe.each(Object.entries(TEXTS))("a budget filled with %s", (_, texts) => {
  it.each(VOCABULARIES)("is never exceeded and at least half used: %s", (vocabulary) => {
    const picks = fc.array(fc.nat(texts.length - 1), { minLength: 400, maxLength: 400 })
    fc.assert(
      fc.property(picks, fc.integer({ min: 500, max: 2000 }), (order, budget) => {
        const filled: string[] = []
        let left = budget
        for (const text of order.map((n) => texts[n] ?? "")) {
          const cost = countTokens(`${text}\n`, vocabulary)
          if (cost > left) break
          filled.push(text)
          left -= cost
        }
        const used = REAL[vocabulary](filled.join("\n"))
        expect(used).toBeLessThanOrEqual(budget)
        // The unused rest, which the next text did not fit into, is not part of the comparison.
        expect(used).toBeGreaterThanOrEqual((budget - left) * LEAST_USED[vocabulary])
      }),
      { numRuns: 40, seed: 1 },
    )
  })
})

it.each(VOCABULARIES)("never counts too few tokens for real texts in fifty languages: %s", (vocabulary) => {
  expect(MESSAGES.length).toBeGreaterThan(45)
  const messages = MESSAGES.map(({ name, texts }) => ({ name, text: texts.join("\n") }))
  const names = [
    "README.md",
    "CHANGELOG.md",
    "docs/gate.md",
    "node_modules/zod/README.md",
    "package-lock.json",
  ]
  const page = (name: string) => ({ name, text: readFileSync(new URL(name, root), "utf8").slice(0, 40_000) })
  const shares = [...messages, ...names.map(page)].map(({ name, text }) => ({
    name,
    used: REAL[vocabulary](text) / countTokens(text, vocabulary),
  }))
  // Yoruba and Tajik may be underestimated by a tenth: both vocabularies have hardly any words of them.
  const rare = /^(yo|tg)\.js$/
  expect(
    shares.filter(({ name, used }) => used > (rare.test(name) ? 1.1 : 1) || used < LEAST_USED[vocabulary]),
  ).toEqual([])
})

it("knows by a model's name that its vocabulary is o200k, and takes no other model for one", () => {
  const newer =
    "gpt-4o gpt-4o-mini chatgpt-4o-latest openai/gpt-4o gpt-4.1 gpt-4.1-nano gpt-4.5-preview gpt-5 gpt-5-mini gpt-5.1-codex openai/gpt-5 gpt-oss-120b openai/gpt-oss-20b:free o1 o1-mini o3 o3-pro o4-mini openai/o3-mini azure/o4-mini codex-mini-latest us.openai.gpt-4o"
  const others =
    "gpt-4 gpt-4-turbo gpt-4-0613 gpt-3.5-turbo gpt-35-turbo claude-sonnet-4-5 claude-opus-4-1 anthropic/claude-3.5-sonnet gemini-2.5-pro qwen3-coder-480b deepseek-v3.1 llama-4-scout kimi-k2 grok-4 grok-code-fast-1 mistral-large-2411 glm-4.6 phi-4 solo1 yolo3 m1 big-pickle"
  for (const name of newer.split(" ")) expect(vocabularyOf(name), name).toBe("o200k")
  for (const name of others.split(" ")) expect(vocabularyOf(name), name).toBe("any")
  expect(vocabularyOf(undefined)).toBe("any")
})

it("a text counts no more tokens in o200k than in an unknown vocabulary", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(countTokens(text, "o200k")).toBeLessThanOrEqual(countTokens(text))
    }),
    { seed: 1 },
  )
})
