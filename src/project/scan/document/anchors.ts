import type { ParsedDocument } from "./parse-document.ts"

/**
 * Says of an anchor whether the document has it. Every site makes anchors of headings its own way, so only letters and
 * digits are compared, without accents; a number at the end may tell headings of one name apart.
 */
export function anchorsOf({ headings, anchors, isGenerated }: ParsedDocument): (anchor: string) => boolean {
  if (isGenerated) return () => true
  const known = new Set([...headings.map(plainHeading), ...anchors].map(keyOf))
  return (anchor) => {
    if (ALWAYS.test(anchor)) return true
    const key = keyOf(anchor.replace(/^user-content-/, ""))
    return key === "" || known.has(key) || known.has(key.replace(/\d+$/, ""))
  }
}

/** A heading's words without what is only markup: links, code marks, HTML, pictures by name. */
function plainHeading(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]{0,200})\](\([^)]{0,300}\)|\[[^\]]{0,100}\])?/g, "$1")
    .replaceAll(/<[^>]{0,200}>/g, "")
    .replaceAll(/&[a-z]+;|:[a-z0-9_+-]{2,30}:/g, "")
}

function keyOf(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("đ", "d")
    .replaceAll("ł", "l")
    .replaceAll("ø", "o")
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
}

// Lines of a file, the top of a page, footnotes, words to look for, states of a page.
const ALWAYS = /^(L\d+(C\d+)?(-L?\d+(C\d+)?)?|top|readme|fn.*|:~:.*|.*[=&].*)$/i
