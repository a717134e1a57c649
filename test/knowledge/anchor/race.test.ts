import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { lineProcess } from "../../support/line-process.ts"
import { tempProject } from "../../support/temp-project.ts"

const anchorer = fileURLToPath(new URL("../../support/anchor-writer.mjs", import.meta.url))

it("two processes save the same key at the same moment, 50 times, spelled differently: one stands each time", async () => {
  const project = await tempProject()
  const [one, two] = ["one", "two"].map((value) => lineProcess(anchorer, project, value))
  if (one === undefined || two === undefined) throw new Error("no processes")
  for (const each of [one, two]) expect(await each.next()).toBe("ready")
  const winners: string[] = []
  for (let n = 0; n < 50; n++) {
    one.go(`Key ${n}`)
    two.go(` KEY ${n} `)
    const answers = await Promise.all([one.next(), two.next()])
    expect([...answers].sort()).toEqual(["duplicate", "success"])
    winners.push(answers[0] === "success" ? "one" : "two")
  }
  const { state } = openFileStore(project, { source: systemSource }).read()
  expect([...state.anchor.values()].map(({ value }) => value)).toEqual(winners)
})
