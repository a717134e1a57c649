import { flattened, shortened } from "./lines.ts"

/** A declaration's beginning as one line, without the blanks that only long lists need and without what opens its body. */
export function toSignature(text: string, max = MAX_SIGNATURE): string {
  const flat = flattened(text.length > MAX_READ ? text.slice(0, MAX_READ) : text)
  const tight = SPREAD.test(flat) ? flat.replace(/([(<[]) /g, "$1").replace(/,? ([)>\]])/g, "$1") : flat
  let end = tight.length
  while (" ={;".includes(tight[end - 1] ?? "x")) end--
  return shortened(tight.slice(0, end), max)
}

const SPREAD = /[(<[] | [)>\]]/
const MAX_SIGNATURE = 160
/** How much of the code a signature is made of: more would not show. */
export const MAX_READ = 1200
