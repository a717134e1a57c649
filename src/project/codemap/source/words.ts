/** Whether a name stands in the code by itself. Without a pattern: to make one for each takes longer than to search. */
export function hasWord(code: string, name: string): boolean {
  for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1))
    if (!WORD_SIGN.test(code.charAt(at - 1)) && !WORD_SIGN.test(code.charAt(at + name.length))) return true
  return false
}

const WORD_SIGN = /[\w$]/
