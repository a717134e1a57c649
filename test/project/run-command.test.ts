import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { runCommand } from "../../src/project/run-command.ts"
import { isRunning } from "../support/is-running.ts"
import { tempProject } from "../support/temp-project.ts"

it("tells how a command ended, and what it printed", async () => {
  const dir = await tempProject()
  const ran = await runCommand("echo out; echo err >&2; exit 3", dir, 10_000)
  expect(ran).toMatchObject({ exit: 3, output: "out\nerr\n" })
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

it("ends on the abort signal, and reports the last output while running", async () => {
  const dir = await tempProject()
  const stop = new AbortController()
  const shown: string[] = []
  const onOutput = (end: string) => {
    shown.push(end)
    stop.abort()
  }
  const ran = runCommand("echo ready; sleep 60", dir, 50_000, { signal: stop.signal, onOutput })
  expect(await ran).toMatchObject({ exit: 130, output: "ready\n", timedOut: false })
  expect(shown).toEqual(["ready\n"])
})

it("returns when the command ends, and neither waits for nor ends its background processes", async () => {
  const dir = await tempProject()
  const ran = await runCommand("sleep 300 & echo $! > left.pid; echo started", dir, 60_000)
  const pid = Number(readFileSync(join(dir, "left.pid"), "utf8"))
  onTestFinished(() => void process.kill(pid))
  expect(ran).toEqual({ exit: 0, output: "started\n", timedOut: false })
  expect(isRunning(pid)).toBe(true)
})

describe("a check", () => {
  const check = (command: string, dir: string) => runCommand(command, dir, 60_000, { isCheck: true })

  it("is over when the command itself is, and what it left running is ended", async () => {
    const dir = await tempProject()
    const ran = await check("sleep 300 & echo $! > left.pid; echo done; exit 4", dir)
    expect(ran).toEqual({ exit: 4, output: "done\n", timedOut: false })
    const pid = Number(readFileSync(join(dir, "left.pid"), "utf8"))
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it("fails if any command of a pipe fails", async () => {
    const dir = await tempProject()
    expect(await check("echo 3 failed && false | tail -1", dir)).toMatchObject({ exit: 1 })
    expect(await check("(echo bad; exit 5) | tail -1", dir)).toMatchObject({ exit: 5, output: "bad\n" })
    expect(await check("echo fine | tail -1", dir)).toMatchObject({ exit: 0 })
    // A command that is no check exits as the shell says: with the last part of a pipe.
    expect(await runCommand("false | tail -1", dir, 60_000)).toMatchObject({ exit: 0 })
  })

  it("also runs without bash", async () => {
    const dir = await tempProject()
    const path = process.env["PATH"]
    onTestFinished(() => {
      process.env["PATH"] = path
    })
    process.env["PATH"] = join(dir, "nothing")
    expect(await check('echo "it\'s $((1 + 1))"; exit 6', dir)).toMatchObject({ exit: 6, output: "it's 2\n" })
  })
})
