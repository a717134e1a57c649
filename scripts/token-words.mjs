// Makes src/shared/text/token-words.ts: the commonest words that are one token in both cl100k and o200k.
//   node scripts/token-words.mjs
import { writeFileSync } from "node:fs"
import { decode, encode } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base"

const COUNT = 6000
const words = new Set()
// The lower the number of a token, the commoner it is. Those that stand behind a blank are words of texts.
for (let token = 256; token < 40_000 && words.size < COUNT; token++) {
  const text = decode([token])
  const word = /^ ([A-Za-z][a-z]{2,})$/.exec(text)?.[1]?.toLowerCase()
  if (word === undefined || words.has(word)) continue
  if (encode(` ${word}`).length === 1 && encodeO200k(` ${word}`).length === 1) words.add(word)
}
// Without every blank: a word follows the last one at its capital.
const text = [...words]
  .sort()
  .map((word) => word[0].toUpperCase() + word.slice(1))
  .join("")
writeFileSync(
  new URL("../src/shared/text/token-words.ts", import.meta.url),
  `// Made by scripts/token-words.mjs; not edited by hand.

/** The ${words.size} most common words that are one token in cl100k and o200k, each with a capital. */
export const TOKEN_WORDS =
  "${text}"
`,
)
console.log(`${words.size} words, ${text.length} bytes`)
