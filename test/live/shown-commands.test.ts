import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { pause, say, update } from "./bed/steps.ts"

it("commands that only show something ask no model, and no model reads their output", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  const run = (command: string, words = "") =>
    bed.client.session.command({ path: session, body: { command, arguments: words } }).catch(() => undefined) // OpenCode reports the hook that stopped it.
  const turns = () => bed.model.turns()
  const shown = async () =>
    (await bed.messages(session)).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" && part.ignored === true ? [part.text] : [])),
    )

  await run("hive")
  expect(await shown()).toEqual([expect.stringContaining("No plan yet")])
  expect(turns()).toEqual([])

  bed.model.script(update("action", "Build the cart"), say("It is set up."))
  await bed.prompt(session, "Set it up")
  const asked = turns().length
  await run("hive")
  await run("hive-export")
  expect((await shown()).slice(1)).toEqual([
    expect.stringContaining("▶ Build the cart"),
    expect.stringContaining(".hivemind/sessions/archive/exports/"),
  ])
  expect(turns()).toHaveLength(asked)

  bed.model.script(say("Go on."))
  await bed.prompt(session, "And now?")
  const last = turns().at(-1)
  expect(last?.raw.toString()).not.toContain("archive/exports/")
  expect(last === undefined ? [] : injectedTexts(last)).not.toEqual([])
  expect(new Set(prefixFigures(turns()).kept)).toEqual(new Set([1]))

  // With words behind it, the user asks for more than is shown.
  bed.model.script(say("One task is open."))
  await run("hive", "and be brief")
  expect(turns()).toHaveLength(asked + 2)
  expect(bed.printed()).toBe("")
  expect(await bed.pluginLog()).not.toContain("error")
})

it("within a turn the model answers: a message that it cannot read would only make it speak once more", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  const held = pause()
  bed.model.script(say("Half of it.", { pause: held }), say("No plan yet."))
  const turn = bed.prompt(session, "Do it")
  await held.reached
  const asked = bed.client.session.command({ path: session, body: { command: "hive", arguments: "" } })
  await expect
    .poll(async () => (await bed.messages(session)).filter(({ info }) => info.role === "user"))
    .toHaveLength(2)
  held.release()
  await Promise.all([turn, asked])
  const last = bed.model.turns().at(-1)
  expect(last?.raw.toString()).toContain("Call hivemind_session status")
})
