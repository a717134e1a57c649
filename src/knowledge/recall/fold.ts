/** Latin letters without their marks; `й` and `が` are letters of their own and stay. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text
  return text
    .replaceAll("ß", "ss")
    .replaceAll("ё", "е")
    .normalize("NFD")
    .replace(LATIN_MARKS, "$1")
    .normalize("NFC")
}

const ASCII = /^[\0-\x7f]*$/
const LATIN_MARKS = /([a-z])[\u0300-\u036f]+/g
