import { describe, expect, it } from "vitest"
import { cleanText, escapeXml, oneLine, shorten } from "../../../src/shared/text/clean.ts"

const cleaned = (text: string) => [cleanText(text, 100), oneLine(text), shorten(text), escapeXml(text)]

describe("characters that hide or steer", () => {
  const hostile = {
    "a null": "a\u0000b",
    "an escape sequence": "a\u001bb",
    "a bell": "a\u0007b",
    "a zero-width space": "a\u200bb",
    "a direction mark": "a\u202eb",
    "an isolate": "a\u2066b",
    "a soft hyphen": "a\u00adb",
    "a byte order mark": "a\ufeffb",
    "letters in tag characters": "a\u{e0049}\u{e0067}b",
    "bytes in variation selectors": "a\ufe00\u{e0121}b",
    "a filler": "a\u3164b",
    "a joiner between Latin letters": "a\u200db",
    "a non-joiner between Latin letters": "a\u200cb",
    "a row of joiners": "a\u200d\u200d\u200cb",
    "a non-character": "a\uffffb",
  }
  it.each(Object.entries(hostile))("%s is dropped, in every way to clean", (_, text) => {
    expect(new Set(cleaned(text))).toEqual(new Set(["ab"]))
  })

  it.each(["می‌خواهم", "مُ‌ه", "क्‍ष", "ক্‍ষ", "ශ්‍රී", "👩‍🚀 👨‍👩‍👧 👋🏽 ❤️‍🔥 1️⃣", "naïve Ünïcode 漢字 한글"])(
    "%s keeps what it needs",
    (text) => expect(new Set(cleaned(text))).toEqual(new Set([text])),
  )

  it.each([
    ["Greek letters", "α\u200cβ", "αβ"],
    ["Chinese characters", "漢\u200d字", "漢字"],
    ["digits", "1\u200d2\ufe0f3\ufe0e", "123"],
    ["emoji, if it does not join", "👋\u200c👋", "👋👋"],
    ["Latin and Arabic letters", "a\u200cه", "aه"],
    ["Arabic letters, twice", "م\u200c\u200cخ", "مخ"],
  ])("a joiner or selector between %s is dropped", (_, text, clean) => {
    expect(oneLine(text)).toBe(clean)
  })

  it("are found in every text, also in those that pass the quick check", () => {
    // A text that has a hidden character skips the quick test. A single character may pass that test.
    const wrong = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(
      (char) => oneLine(`a${char}b`) !== oneLine(`\u0000a${char}b`),
    )
    expect(wrong).toEqual([])
  })

  it("a lone surrogate becomes a replacement character", () => {
    expect(oneLine("a\udc00b")).toBe("a\ufffdb")
    expect(new Set(cleaned("a\ud800b"))).toEqual(new Set(["a\ufffdb"]))
  })
})

describe("text of several lines", () => {
  it("keeps its lines and tabs with any line endings", () => {
    expect(cleanText(" a\u001b[31m\tb\r\nc\rd\u2028e\u0085f ", 100)).toBe("a[31m\tb\nc\nd\ne\nf")
  })

  it("cuts a megabyte to its length, with a mark, and never through a character", () => {
    const cut = cleanText("👍".repeat(500_000), 100)
    expect(cut).toBe(`${"👍".repeat(49)}…`)
  })
})

describe("one line", () => {
  it("has no line ends, and one space for a run of white space", () => {
    expect(oneLine(" a\n\u001b[2J\tb\u202e  \u2028c\u0007 ")).toBe("a [2J b c")
  })

  it("is cut between words, and is never longer than asked for", () => {
    expect(shorten("one two three four", 12)).toBe("one two…")
    expect(shorten("one two three four", 18)).toBe("one two three four")
    expect(shorten("abcdefghijklmnop", 8)).toBe("abcdefg…")
    expect(shorten("👍".repeat(20), 6)).toBe("👍👍…")
    for (let max = 1; max < 40; max++)
      expect(shorten("some words 👍👍 and more of them", max).length).toBeLessThanOrEqual(max)
  })
})

it("XML text cannot open or close a tag or an attribute", () => {
  expect(escapeXml('</mem>\n<head a="&lt;">')).toBe("&lt;/mem&gt; &lt;head a=&quot;&amp;lt;&quot;&gt;")
})
