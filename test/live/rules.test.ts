import { expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { prefixFigures } from "./bed/prefix.ts"

const injected = (requests: readonly ModelRequest[]) => injectedTexts(requests[0] as ModelRequest).join("\n")
const ask = async (bed: Bed, session: { id: string }, text: string) => {
  const { requests } = await bed.prompt(session, text)
  return { state: injected(requests), request: requests[0]?.raw.toString() ?? "" }
}

it("a rule is said once, survives a compaction and a restart, and only its newest version reaches the third session", async () => {
  await using bed = await openBed({ hive: true })
  const first = await bed.newSession("one")
  const noted = await ask(bed, first, "Add a helper. From now on, end all function names with '_b'.")
  expect(noted.state).toContain("end all function names with '_b'")
  expect(noted.request).toContain("Noted as rules from this message")
  await bed.toast("Noted as a rule")

  await bed.summarize(first)
  expect((await ask(bed, first, "go on")).state).toContain("'_b'")
  await bed.restart()
  const second = await bed.newSession("two")
  expect((await ask(bed, second, "Write a function that adds two numbers")).state).toContain("'_b'")

  await ask(bed, second, "Going forward, please end function names with '_x'.")
  const third = await bed.newSession("three")
  const { state: shown } = await ask(bed, third, "Write a function that sorts a list")
  expect(shown).toContain("'_x'")
  expect(shown).not.toContain("'_b'")
  expect((await ask(bed, third, "thanks")).state).not.toContain("'_b'")
  expect(prefixFigures(bed.model.turns().slice(-2)).kept).toEqual([1])
  expect(await bed.pluginLog()).not.toContain("error")
})

it("what may be a rule is asked about in one line, and /hive-forget drops the rule noted last", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  await ask(bed, session, "Look around")
  const asked = await ask(bed, session, "oh, please don't amend commits, it messes with the workflows")
  expect(asked.request).toContain("If this is meant for the future too: hivemind_memory save kind rule")
  expect(asked.state).not.toContain("<rules>")

  await ask(bed, session, "never touch the generated files")
  const rules = () => bed.cli("rules")
  expect(rules()).toContain("never touch the generated files")
  const turns = bed.model.turns().length
  await bed.command(session, "hive-forget").catch(() => undefined) // OpenCode reports the hook that stopped it.
  await expect.poll(rules).toContain("There are no rules yet")
  expect(bed.model.turns()).toHaveLength(turns)
  const { state } = await ask(bed, session, "never touch the generated files")
  const again = state.split("<hivemind_delta>").at(-1)
  expect(again).toContain('status="gone"')
  expect(again).not.toContain("<rule ")
})
