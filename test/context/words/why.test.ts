import { describe, expect, it } from "vitest"
import { fileHive } from "../../support/file-hive.ts"
import { askNothing, askWhy, threeWeeksOfWork } from "./three-weeks.ts"

describe("three weeks and 2,000 mems later", () => {
  it("the answer to 'why did we choose X over Y?' is in the first block of a fresh session", async () => {
    const { asked, missed, unexplained } = await askWhy(await threeWeeksOfWork(await fileHive()))
    expect(asked).toBeGreaterThanOrEqual(40)
    expect(missed.length / asked, missed.join("\n")).toBeLessThanOrEqual(0.05)
    expect(unexplained).toEqual([])
  })

  it("a message that asks for nothing brings nothing back", async () => {
    const { asked, wrong } = await askNothing(await threeWeeksOfWork(await fileHive()))
    expect(asked).toBeGreaterThanOrEqual(40)
    expect(wrong.length / asked, wrong.join("\n")).toBeLessThanOrEqual(0.05)
  })
})
