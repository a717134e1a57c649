import { expect, it } from "vitest"
import { maskAll, maskSecrets } from "../../../src/shared/secrets/mask.ts"
import { cleanText, shorten } from "../../../src/shared/text/clean.ts"
import { HARMLESS } from "./harmless.ts"
import { PLANTED, random } from "./planted.ts"

it("masks every kind of secret, in prose, in JSON and in code, and says what it was", () => {
  expect(new Set(PLANTED.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(20)
  for (const { kind, text, secret } of PLANTED) {
    const around = [
      text,
      `(${text})`,
      JSON.stringify({ output: `a\n${text}\nb` }),
      `- ${text}.`,
      `\u001b[0;31m${text}\u001b[0m`,
      `[1m${text}[22m`,
      `?next=%2F%3D${text}`,
      `\`${text}\``,
    ]
    for (const each of around) {
      const masked = maskSecrets(each)
      expect(masked.replaceAll("\\n", "\n"), `${kind} in ${each}`).not.toContain(secret)
      expect(masked, each).toContain("[masked: ")
    }
    expect(maskSecrets(text), text).toMatch(/\[masked: [\w ]+\]/)
  }
  const named = PLANTED.filter(({ kind, text }) => maskSecrets(text).includes(`[masked: ${kind}]`))
  // A GitLab token that is the password of an address is masked as that.
  expect(PLANTED.filter((each) => !named.includes(each)).map(({ kind }) => kind)).toEqual(["GitLab token"])
})

it("leaves what only looks like a token as it is: hashes, ids, encoded files, versions, addresses, names", () => {
  expect(HARMLESS.length).toBeGreaterThanOrEqual(200)
  for (const text of HARMLESS) expect(maskSecrets(text)).toBe(text)
  expect(maskSecrets(HARMLESS.join("\n"))).toBe(HARMLESS.join("\n"))
})

it("keeps what stands around a secret, and masked text stays as it is", () => {
  const password = random("x", 12)
  const masked = maskSecrets(`psql postgres://app:${password}@db.example.com/app -c 'select 1'`)
  expect(masked).toBe("psql postgres://app:[masked: password]@db.example.com/app -c 'select 1'")
  for (const { text } of PLANTED) expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text))
})

it("masks every text of a record, however deep, and copies nothing that holds none", () => {
  const token = `ghp_${random("deep", 36)}`
  const record = { id: "1", tags: ["a", token], more: { note: `x ${token}`, n: 1, none: null } }
  expect(JSON.stringify(maskAll(record))).not.toContain(token)
  expect(maskAll(record)).toMatchObject({ id: "1", more: { n: 1, none: null } })
  const clean = { a: ["b"], c: { d: "e" } }
  expect(maskAll(clean)).toBe(clean)
})

it("a text is masked before it is cut, so that no half of a secret is left", () => {
  for (const { text, secret } of PLANTED)
    for (let max = 10; max < text.length + "see: ".length; max += 7)
      for (const cut of [shorten(`see: ${text}`, max), cleanText(`see: ${text}`, max)]) {
        const half = secret.replaceAll("\n", " ").slice(0, Math.max(12, Math.ceil(secret.length / 2)))
        expect(cut.replaceAll("\n", " ")).not.toContain(half)
      }
})

it("takes as long as the text is, also for text made to be slow", () => {
  const bad = [
    "eyJ",
    "eyJaaaaaaaa.",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "sk-",
    "server=a;",
    "bearer ",
    "xoxb-",
    "sk-proj-",
  ]
  for (const piece of bad) {
    const time = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length))
      const times = Array.from({ length: 4 }, () => {
        const begin = performance.now()
        maskSecrets(text)
        return performance.now() - begin
      })
      return Math.min(...times)
    }
    // Eight times the length: what grows with its square takes 64 times as long.
    expect(time(160_000) / Math.max(time(20_000), 0.5), piece).toBeLessThan(32)
  }
})
