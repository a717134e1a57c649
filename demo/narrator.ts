import { styleText } from "node:util"

/** Prints what happens, step by step, for a person who watches. */
export function createNarrator(out: (text: string) => void) {
  const colour = (style: Parameters<typeof styleText>[0], text: string) =>
    process.stdout.isTTY && !process.env["NO_COLOR"] ? styleText(style, text) : text
  let step = 0
  return {
    scene: (title: string) => out(`\n${colour(["bold", "cyan"], `── ${title} ──`)}`),
    step: (text: string) => out(`${colour("dim", `${String(++step).padStart(2)}.`)} ${text}`),
    shows: (text: string) => out(text.replaceAll(/^/gm, colour("dim", "      │ "))),
    done: (text: string) => out(`\n${colour(["bold", "green"], text)}`),
  }
}

export type Narrator = ReturnType<typeof createNarrator>

/** Checks what the scene claims; a demo that cannot fail would show nothing. */
export function expectThat(claim: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(`the demo expected that ${claim}`)
}
