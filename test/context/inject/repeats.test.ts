import { expect, it } from "vitest"
import { tempProject } from "../../support/temp-project.ts"
import { lightSession, type Session, workingSession } from "./sessions/kinds.ts"
import { measureRepeats } from "./sessions/repeats.ts"

it.each<[string, (folder: string) => Promise<Session>, ofRequest: number]>([
  ["a light session of 40 turns", (folder) => lightSession(folder, 40), 1],
  ["a light session of 150 turns", (folder) => lightSession(folder, 150), 0.15],
  ["a working session of 150 turns with compactions", (folder) => workingSession(folder, 150), 1],
])("%s: at most 15 percent of any prompt was said in it before", async (_, run, ofRequest) => {
  const found = measureRepeats(await run(await tempProject()))
  expect(found.worst).toBeLessThanOrEqual(0.15)
  expect(found.ofInjected).toBeLessThanOrEqual(0.25)
  expect(found.prefix).toBe(1)
  expect(found.oursOfRequest).toBeLessThanOrEqual(ofRequest)
})
