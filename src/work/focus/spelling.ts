/** The text with the usual slips mended in the words that rules go by: "swtich", "actualy", "nvm". What else it says stays. */
export function withoutSlips(text: string): string {
  return text.replaceAll(/[A-Za-z]{5,}/g, (word) => {
    const small = word.toLowerCase()
    if (CUES.includes(small)) return word
    return CUES.find((cue) => cue[0] === small[0] && isSlip(small, cue)) ?? word
  })
}

/** One letter too few or too many, or two that have changed places. */
function isSlip(word: string, cue: string): boolean {
  const apart = word.length - cue.length
  if (Math.abs(apart) > 1) return false
  let at = 0
  while (at < cue.length && word[at] === cue[at]) at++
  if (apart === 1) return word.slice(at + 1) === cue.slice(at)
  if (apart === -1) return word.slice(at) === cue.slice(at + 1)
  return word[at] === cue[at + 1] && word[at + 1] === cue[at] && word.slice(at + 2) === cue.slice(at + 2)
}

const CUES = [
  "switch",
  "first",
  "instead",
  "please",
  "actually",
  "continue",
  "prioritize",
  "forget",
  "before",
  "tomorrow",
]
