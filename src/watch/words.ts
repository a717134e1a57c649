/** The words of a text, without an "s" or "ing" behind them: a word counts in each of its forms. */
export function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(words.map((word) => (word.length > 4 ? word.replace(/(ing|es|s)$/, "") : word)))
}
