import type { Bed } from "../test/live/bed/bed.ts"
import { injectedTexts } from "../test/live/bed/injected-state.ts"
import { prefixFigures } from "../test/live/bed/prefix.ts"
import { expectThat, type Narrator } from "./narrator.ts"

/** What the model was sent, by itself, and that the prompt cache stayed whole. */
export async function readsTheState(bed: Bed, narrator: Narrator): Promise<void> {
  narrator.scene("The state is before the model, and the cache stays whole")
  const session = await bed.newSession("demo")
  for (const text of ["Where were we?", "Go on."]) await bed.prompt(session, text)
  const requests = bed.model.requests.filter(
    (request) => request.session === session.id && request.kind === "turn",
  )
  const last = requests.at(-1)
  expectThat("a request was sent", last !== undefined)
  if (last === undefined) return
  narrator.step("A new session asks where we were. No tool is called; this came with the user's message:")
  for (const text of injectedTexts(last)) narrator.shows(text)
  expectThat("the model reads the plan", injectedTexts(last).join().includes("<plan "))
  const { kept } = prefixFigures(requests)
  narrator.step(
    `Each request begins with all of the one before: ${kept.map((share) => `${share * 100} %`).join(", ")}.`,
  )
  expectThat(
    "the prefix is kept",
    kept.every((share) => share === 1),
  )
}
