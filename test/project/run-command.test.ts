import { expect, it } from "vitest"
import { runCommand } from "../../src/project/run-command.ts"
import { tempProject } from "../support/temp-project.ts"

it("tells how a command ended, and what it printed", async () => {
  const dir = await tempProject()
  expect(await runCommand("echo out; echo err >&2; exit 3", dir, 10_000)).toMatchObject({
    exit: 3,
    output: "out\nerr\n",
  })
})

it("ends a command that takes too long, with what it has started", async () => {
  const dir = await tempProject()
  expect(await runCommand("sleep 60 & sleep 60", dir, 200)).toMatchObject({ exit: 124, timedOut: true })
})

it("keeps the beginning and the end of a long output", async () => {
  const dir = await tempProject()
  const { output } = await runCommand("seq 1 20000", dir, 20_000)
  expect(output.length).toBeLessThan(31_000)
  expect(output).toMatch(/^1\n2\n[\s\S]*characters left out[\s\S]*20000\n$/)
})
