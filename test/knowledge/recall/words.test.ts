import { expect, it } from "vitest"
import { languageOf } from "../../../src/knowledge/words/function-words.ts"
import { plainForm, stem } from "../../../src/knowledge/words/stem.ts"
import { wordsOf } from "../../../src/knowledge/words/words.ts"

const texts = (text: string) => wordsOf(text).map((word) => word.text)

it("splits names into their parts, and keeps the name as one word", () => {
  expect(texts("getUserName")).toEqual(["getusername", "get", "user", "name"])
  expect(texts("user_name")).toEqual(["username", "user", "name"])
  expect(texts("HTTPServer")).toEqual(["httpserver", "http", "server"])
  expect(texts("src/store/file-store.ts")).toEqual(["src", "store", "filestore", "file", "store", "ts"])
  expect(texts("all URLs, APIs")).toEqual(["all", "urls", "apis"])
  expect(texts("oauth2 (p99) sha256")).toEqual(["oauth2", "p99", "sha256"])
  expect(texts("C++ and C#")).toEqual(["c++", "and", "c#"])
})

it("finds a version by itself and by its first two numbers", () => {
  expect(texts("v1.2.3 of node@20.19.0")).toEqual(["1.2.3", "1.2", "of", "node", "20.19.0", "20.19"])
  expect(texts("3,750 tokens")).toEqual(["3750", "tokens"])
})

it("splits sentences at their punctuation, with any apostrophe", () => {
  expect(texts("Don’t cache it: the user's tokens (all) expire.")).toEqual([
    "dont",
    "cache",
    "it",
    "the",
    "user",
    "tokens",
    "all",
    "expire",
  ])
})

it("splits scripts without spaces into pairs of letters, and skips pairs that are only grammar", () => {
  expect(texts("警告の重複")).toEqual(["警告", "告の", "の重", "重複"])
  expect(texts("base を設定する")).toEqual(["base", "を設", "設定", "定す"])
  expect(texts("データベース")).toEqual(["デー", "ータ", "タベ", "ベー", "ース"])
  expect(texts("ありがとう")).toEqual([])
})

it("stems English, irregular words and shortened ones too", () => {
  for (const same of [
    ["migration", "migrate", "migrating", "migrations"],
    ["chose", "choose", "chosen", "choice"],
    ["config", "configuration", "configs"],
    ["behaviour", "behavior"],
    ["optimise", "optimized"],
    ["database", "db"],
  ])
    expect(new Set(same.map(stem)).size, same.join(" ")).toBe(1)
})

it("leaves other languages alone", () => {
  for (const word of ["datei", "verbindung", "gesichert", "nation", "миграция"])
    expect(plainForm(word)).toBe(word)
  expect(languageOf(wordsOf("Warum wird die Datei nicht gelesen?"))).toBe("de")
  expect(languageOf(wordsOf("почему не читаются пути"))).toBe("ru")
  expect(languageOf(wordsOf("pourquoi le cache est vide"))).toBe("fr")
  expect(languageOf(wordsOf("cache invalidation"))).toBe("en")
})
