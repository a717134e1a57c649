/** JSON as configurations are written: with comments, and commas before a closing bracket. Undefined where it is none. */
export function parseLooseJson(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, "")
  return parsed(plain) ?? parsed(withoutCommas(withoutComments(plain)))
}

function withoutComments(text: string): string {
  return text.replace(COMMENT, (found) => (found.startsWith('"') ? found : " "))
}

function withoutCommas(text: string): string {
  return text.replace(LAST_COMMA, (found) => (found.startsWith('"') ? found : ""))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not plain, or broken.
  }
}

// Texts are found as well, and left as they are: what looks like a comment in one is none.
const COMMENT = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const LAST_COMMA = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|,(?=\s*[}\]])/g
