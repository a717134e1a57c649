import { expect, it } from "vitest"
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
