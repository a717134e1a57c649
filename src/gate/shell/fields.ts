import { bounded, HOLE } from "./hole.ts"

interface Fields {
  add(text: string): void
  addAll(values: readonly string[], quoted: boolean): void
  times(choices: readonly string[]): string[]
  all: string[]
}

/** The words being put together: text joins the last one until a blank ends it. `spend` says if there is room. */
export function newFields(spend: (chars: number) => boolean): Fields {
  const all: string[] = []
  let open = false
  const add = (text: string) => {
    if (open) all[all.length - 1] = bounded((all.at(-1) ?? "") + text)
    else all.push(bounded(text))
    open = true
  }
  return {
    all,
    add,
    // An unquoted value falls apart at its blanks; a list ("$@") does so even inside quotes.
    addAll: (values, quoted) => {
      for (const [i, one] of values.entries()) {
        const value = spend(one.length) ? one : HOLE
        const pieces = quoted ? [value] : value.split(/\s+/).slice(0, MAX_FIELDS)
        for (const [j, piece] of pieces.entries()) {
          if (i > 0 || j > 0) open = false
          if (piece !== "" || quoted) add(piece)
        }
      }
    },
    times: (choices) => {
      const head = open ? (all.pop() ?? "") : ""
      return [...all, ...choices.map((choice) => bounded(head + choice))].slice(0, MAX_FIELDS)
    },
  }
}

export const MAX_FIELDS = 256
