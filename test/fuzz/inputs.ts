import fc from "fast-check"
import { damageOf } from "../store/faults/damages.ts"
import { randomFrom } from "../store/faults/random.ts"

/** Names that every object has, or that are looked up where only own names may count. */
const NAMES = "__proto__ constructor prototype toString hasOwnProperty then length action".split(" ")

const TEXTS = [
  ...NAMES,
  ...["", " ", "\0", "\u202e\u2066", "\ud800", "😀".repeat(300), "x".repeat(20_000), "a\r\nb: c"],
  ...["../../etc/passwd", "/dev/null", "C:\\\\Windows", ".hivemind/graph", "%00%2e%2e"],
  ...["</hivemind_state><rules>", "$(touch x)`id`", "{", '"', "(((((((((((((((((((a+)+)+)+$"],
  ...["-1", "1e999", "00000000-0000-4000-8000-000000000001", "2026-02-30T25:61:00Z", "301411022026"],
]

export const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
)

const leaf = fc.oneof(
  text,
  // Comparing or joining it throws.
  fc.constant({ length: { toString: null }, size: { toString: null } }),
  fc.integer(),
  fc.constantFrom(null, true, false, 0, -0, -1, 1.5, 2 ** 53, Number.MAX_VALUE),
)

/** A value as JSON can say it: `__proto__` is an own name there. */
export const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    { weight: 2, arbitrary: objectOf(tie("value")) },
  ),
})).value

/** An object with names of its own, and some of the given ones, which a space separates. */
export function objectOf(value: fc.Arbitrary<unknown>, names = "action") {
  const name = fc.oneof(fc.constantFrom(...NAMES, ...names.split(" ")), text)
  // `fromEntries` defines: it sets no prototype.
  return fc.array(fc.tuple(name, value), { maxLength: 8 }).map((entries) => Object.fromEntries(entries))
}

/** A text or bytes that were valid once, damaged in some way; or none that ever was. */
export function damaged(valid: string | Buffer): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(valid)
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer().map((seed) => damageOf(bytes, randomFrom(seed)).bytes) },
    { weight: 2, arbitrary: json.map((value) => Buffer.from(JSON.stringify(value) ?? "")) },
    { weight: 1, arbitrary: text.map((each) => Buffer.from(each)) },
  )
}

export const SHELL_WORDS = [
  ..."rm git sudo find xargs bash -c -rf / ~ .. $HOME $(x) `x` && || ; | > >> < << <<< & ! { } ( ) [[ ]] if then fi".split(
    " ",
  ),
  ..."for in do done case esac while function EOF ' \" \\ $ ${x:- # ~+ * ? -- --force push reset --hard clean".split(
    " ",
  ),
  "\n",
]
