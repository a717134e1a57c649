import { expect, it } from "vitest"
import { conversationLengths, repeatAllowance, type Sized } from "../../../src/context/inject/seen-message.ts"
import { tempProject } from "../../support/temp-project.ts"
import { lightSession, type Session, workingSession } from "./sessions/kinds.ts"
import { measureRepeats } from "./sessions/repeats.ts"

const sessions: [string, (folder: string) => Promise<Session>][] = [
  ["a light session of 40 turns", (folder) => lightSession(folder, 40)],
  ["a light session of 150 turns", (folder) => lightSession(folder, 150)],
  ["a working session of 150 turns with compactions", (folder) => workingSession(folder, 150)],
]

it.each(sessions)("%s: at most 15 percent of any prompt was said in it before", async (_, run) => {
  const found = measureRepeats(await run(await tempProject()))
  expect(found.worst).toBeLessThanOrEqual(0.15)
  expect(found.ofInjected).toBeLessThanOrEqual(0.25)
  expect(found.prefix).toBe(1)
})

it("after 150 turns of short chat, at most 15 percent of the request is injected", async () => {
  const { oursOfRequest } = measureRepeats(await lightSession(await tempProject(), 150))
  expect(oursOfRequest).toBeLessThanOrEqual(0.15)
})

it("after a compaction the whole state is sent again, after a revert the reverted delta", async () => {
  const session = await lightSession(await tempProject(), 13)
  const ours = () =>
    (session.prompts.at(-1) ?? [])
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === "text" && part.synthetic ? [part.text] : []))
      .join("\n")
  const states = () => ours().match(/^<hivemind_state/gm)?.length
  const go = () => session.turn({ user: "go on with it", outputs: [], answer: "ok" })
  await go()
  const failed = /<failed id="\w+">/.exec(ours())?.[0] ?? "none"
  session.revert(2)
  expect(states()).toBe(1)
  await go()
  expect(ours()).toContain(failed)
  expect(states()).toBe(1)
  session.compact("All of it, in short.")
  await go()
  expect(states()).toBe(1)
  expect(ours()).toContain(failed)
})

it("the repeat allowance is a share of the visible conversation, less earlier repeats", () => {
  const lengthOf = conversationLengths()
  const long = (removals = new Map<string, string>(), more: Sized[] = []) =>
    lengthOf("ses_1", [{ id: "1", charsWithout: () => 5 }, output, { id: "3" }, ...more], removals)
  const output = {
    id: "2",
    charsWithout: (gone: ReadonlyMap<string, string>) => gone.get("c1")?.length ?? 40_000,
  }
  expect(long()).toBe(10_001)
  expect(long(new Map([["c1", "removed"]]))).toBe(3)
  expect(long()).toBe(10_001)
  expect(long(new Map(), [{ id: "4", charsWithout: () => 400 }])).toBe(10_101)
  // The host has cleared what had been counted: seen when a quarter more messages have come.
  const ten = Array.from({ length: 10 }, (_, n): Sized => ({ id: `${n}`, charsWithout: () => 400 }))
  const more = (n: number): Sized => ({ id: `more ${n}`, charsWithout: () => 400 })
  expect(lengthOf("ses_2", ten, new Map())).toBe(1000)
  const cleared = ten.map(({ id }): Sized => ({ id, charsWithout: () => 0 }))
  expect(lengthOf("ses_2", [...cleared, more(1)], new Map())).toBe(1100)
  expect(lengthOf("ses_2", [...cleared, more(1), more(2), more(3)], new Map())).toBe(300)
  const whole = repeatAllowance([], 10_000)
  expect(whole).toBeGreaterThan(100)
  expect(whole).toBeLessThan(1500)
  expect(repeatAllowance([{ repeated: 80 }, { repeated: 20 }], 10_000)).toBe(whole - 100)
})
