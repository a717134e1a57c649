import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { pause, say, update } from "./bed/steps.ts"

it("commands that only show something ask no model, and no model reads their output", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  const run = (command: string, words = "") => bed.command(session, command, words).catch(() => undefined) // OpenCode reports the hook that stopped it.
  const turns = () => bed.model.turns()
  const shown = async () =>
    (await bed.messages(session)).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" && part.ignored === true ? [part.text] : [])),
    )

  await run("hive")
  expect(await shown()).toEqual([expect.stringContaining("No plan yet")])
  expect(turns()).toEqual([])

  await bed.prompt(session, "Set it up", update("action", "Build the cart"))
  const asked = turns().length
  await run("hive")
  await run("hive-export")
  expect((await shown()).slice(1)).toEqual([
    expect.stringContaining("▶ Build the cart"),
    expect.stringContaining(".hivemind/sessions/archive/exports/"),
  ])
  expect(turns()).toHaveLength(asked)

  await bed.prompt(session, "And now?")
  const last = bed.model.lastTurn()
  expect(last.raw.toString()).not.toContain("archive/exports/")
  expect(injectedTexts(last)).not.toEqual([])
  expect(new Set(prefixFigures(turns()).kept)).toEqual(new Set([1]))

  // With words behind it, the user asks for more than is shown.
  await run("hive", "and be brief")
  expect(turns()).toHaveLength(asked + 2)
  expect(bed.printed()).toBe("")
  expect(await bed.pluginLog()).not.toContain("error")
})

it("within a turn the model answers: a message that it cannot read would only make it speak once more", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  const held = pause()
  const turn = bed.prompt(session, "Do it", say("Half of it.", { pause: held }))
  await held.reached
  const asked = bed.command(session, "hive")
  const messages = async () => (await bed.messages(session)).filter(({ info }) => info.role === "user")
  await expect.poll(messages).toHaveLength(2)
  held.release()
  await Promise.all([turn, asked])
  expect(bed.model.lastTurn().raw.toString()).toContain("Call hivemind_session status")
})
