import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { expect, it } from "vitest"
import { maskAll, maskSecrets } from "../../../src/shared/secrets/mask.ts"
import { cleanText, shorten } from "../../../src/shared/text/clean.ts"
import { trials } from "../../support/effort.ts"
import { HARMLESS } from "./harmless.ts"
import { NAMED_HARMLESS } from "./named-harmless.ts"
import { NAMED, SURROUNDINGS_COUNT } from "./named-planted.ts"
import { PLANTED, random } from "./planted.ts"

it("masks every kind of secret, in prose, in JSON and in code, and names its kind", () => {
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
    expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text))
  }
  const named = PLANTED.filter(({ kind, text }) => maskSecrets(text).includes(`[masked: ${kind}]`))
  // A GitLab token that is the password in a URL is masked as a URL password.
  expect(PLANTED.filter((each) => !named.includes(each)).map(({ kind }) => kind)).toEqual(["GitLab token"])
})

it("leaves text that only looks like a token: hashes, ids, encoded files, versions, addresses, names", () => {
  expect(HARMLESS.length).toBeGreaterThanOrEqual(200)
  for (const text of HARMLESS) expect(maskSecrets(text)).toBe(text)
  expect(maskSecrets(HARMLESS.join("\n"))).toBe(HARMLESS.join("\n"))
})

it("masks a secret that only the word beside it tells, in settings, commands, logs, code and sentences", () => {
  expect(SURROUNDINGS_COUNT).toBeGreaterThanOrEqual(60)
  const missed = NAMED.filter(({ text, secret }) =>
    [text, `see:\n${text}\n`, JSON.stringify({ output: `a\n${text}\nb` })].some((each) =>
      maskSecrets(each).includes(secret),
    ),
  )
  expect(missed.map(({ text }) => text)).toEqual([])
  for (const { text, secret } of NAMED) {
    const [before = "", after = ""] = text.split(secret)
    expect(
      maskSecrets(text).replace(/\[masked: [\w ]+\]/, () => secret),
      text,
    ).toBe(before + secret + after)
    expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text))
  }
})

it("leaves harmless values behind such a word: types, variables, placeholders, paths, names, prose", () => {
  expect(NAMED_HARMLESS.length).toBeGreaterThanOrEqual(140)
  expect(NAMED_HARMLESS.filter((text) => maskSecrets(text) !== text)).toEqual([])
  expect(maskSecrets(NAMED_HARMLESS.join("\n"))).toBe(NAMED_HARMLESS.join("\n"))
})

it("masks every text of a record, however deep, and copies nothing that holds none", () => {
  const token = `ghp_${random("deep", 36)}`
  const record = { id: "1", tags: ["a", token], more: { note: `x ${token}`, [token]: 1, n: 1, none: null } }
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

it("masks a secret at the end of a long text that almost matches a rule many times", () => {
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
    "password: ",
    "password=password",
    "token=a1B2",
    "--token ",
    "curl -u a:",
    "curl ",
    "mysql -p",
    "mysql",
    "cookie: ",
    "abcdefgh",
    "password of the house ",
    "machine a login b password ",
    'secret "value": \'',
    `api_key="${"a1".repeat(99)}`,
  ]
  const token = `ghp_${random("end", 36)}`
  for (const piece of bad)
    expect(maskSecrets(`${piece.repeat(80_000 / piece.length)}\n${token}`), piece).not.toContain(token)
})

it("masks a text of a megabyte as it masks each of its parts", () => {
  const page = readFileSync(new URL("../../../CHANGELOG.md", import.meta.url), "utf8")
  const text = [page, ...NAMED.map((each) => each.text), ...NAMED_HARMLESS].join("\n")
  const parts = Math.ceil(1_000_000 / text.length)
  const masked = Array(parts).fill(maskSecrets(text)).join("\n\n")
  expect(maskSecrets(Array(parts).fill(text).join("\n\n"))).toBe(masked)
})

it("leaves the pages and types of every package that is installed here as they are", () => {
  const root = fileURLToPath(new URL("../../../node_modules/", import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => /(?:^|[\\/])README\.md$|index\.d\.ts$/.test(name) && statSync(join(root, name)).isFile(),
  )
  expect(files.length).toBeGreaterThanOrEqual(200)
  const hit = files.filter((name) => {
    const text = readFileSync(join(root, name), "utf8").slice(0, 100_000)
    return maskSecrets(text) !== text
  })
  expect(hit).toEqual([])
})

it("leaves made ids, hashes, stamps, times and paths as they are, alone and in a sentence", () => {
  const hex = fc
    .integer({ min: 7, max: 128 })
    .chain((length) =>
      fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length }),
    )
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((each) => Buffer.from(each))
  const segment = fc.string({
    unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-."),
    minLength: 1,
    maxLength: 20,
  })
  const value = fc.oneof(
    fc.uuid(),
    hex,
    hex.map((each) => `sha256:${each}`),
    bytes.map((each) => `sha512-${each.toString("base64")}`),
    fc.date({ noInvalidDate: true }).map((each) => each.toISOString()),
    fc.bigInt(10n ** 11n, 10n ** 12n - 1n).map((each) => `${each}-2`),
    fc.array(segment, { minLength: 2, maxLength: 6 }).map((each) => `src/${each.join("/")}.ts:12`),
  )
  fc.assert(
    fc.property(value, (each) => {
      for (const text of [each, `see ${each} there`, `commit ${each}`, `"id": "${each}"`, `hash=${each}`])
        expect(maskSecrets(text)).toBe(text)
    }),
    { numRuns: trials(2000, 50_000), seed: 8 },
  )
})
