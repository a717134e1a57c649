import { randomUUID } from "node:crypto"

// Texts of a made-up language, the same in every run.

const random = randomFrom(1)
const vocabulary = makeVocabulary(40_000)

/** Few words stand nearly everywhere and most hardly anywhere, as in every language. */
export function words(count) {
  return Array.from({ length: count }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]).join(
    " ",
  )
}

function makeVocabulary(count) {
  const syllables = "ka lo mi re tu sen dor vi pa ul ter ban qui os fra gil nex cor wy zed".split(" ")
  return Array.from({ length: count }, (_, n) => {
    let word = ""
    for (let rest = n + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20]
    return word
  })
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export function mem() {
  const at = new Date().toISOString()
  return {
    id: randomUUID(),
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    kind: "fact",
    status: "active",
    content: `${words(25)} src/${words(1)}/${words(1)}.ts`,
    tags: [words(1)],
    evidence: [],
    confidence: 1,
    origin: "saved",
    resolved: null,
    supersedes: null,
    related_to: [],
    reason: null,
    stale_at: null,
    created_at: at,
    updated_at: at,
    stamp: "301411022026",
  }
}
