import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { runCommand } from "../../src/project/run-command.ts"
import { isRunning } from "../support/is-running.ts"
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

it("counts what it leaves out of a megabyte", async () => {
  const { output } = await run(`process.stdout.write("a".repeat(500_000) + "b".repeat(500_000))`)
  const half = 15_000
  expect(output).toBe(`${"a".repeat(half)}\n… 970000 characters left out …\n${"b".repeat(half)}`)
})

it("counts characters, not bytes or halves, and cuts none in two", async () => {
  for (const shift of ["", "a"]) {
    const { output } = await run(`process.stdout.write("${shift}" + "👍".repeat(100_000))`)
    const [, start = "", count = "", end = ""] =
      /^(.*)\n… (\d+) characters left out …\n(.*)$/u.exec(output) ?? []
    expect([...start, ...end].length + Number(count)).toBe(100_000 + shift.length)
    expect(output).not.toMatch(/\p{Cs}/u)
    expect(output).not.toContain("\ufffd")
  }
})

it("puts characters together that arrive in pieces, on both streams at once", async () => {
  const text = "aé漢👍\n".repeat(20)
  const { output } = await run(`
    const bytes = Buffer.from(${JSON.stringify(text)})
    let at = 0
    const next = () => {
      if (at >= bytes.length) return
      const piece = bytes.subarray(at, (at += 1 + (at % 3)))
      process.stdout.write(piece)
      process.stderr.write(piece)
      setTimeout(next, 1)
    }
    next()`)
  expect([...output].sort().join("")).toBe([...(text + text)].sort().join(""))
})

async function run(script: string) {
  const dir = await tempProject()
  await writeFile(join(dir, "print.mjs"), script)
  return runCommand(`"${process.execPath}" print.mjs`, dir, 20_000)
}

it("ends with the signal, and tells the end of the output as it comes", async () => {
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

it("is over when the command is; what that left in the background lives on and is not waited for", async () => {
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

  it("does not wait for one that has gone its own way with the pipe in its hands", async () => {
    const dir = await tempProject()
    const ran = await check(
      "setsid sleep 300 & echo $! > own.pid; until ps -o sid= -p $! | grep -qw $!; do :; done; echo done",
      dir,
    )
    const pid = Number(readFileSync(join(dir, "own.pid"), "utf8"))
    onTestFinished(() => void process.kill(pid))
    expect(ran).toMatchObject({ exit: 0, output: "done\n" })
    expect(isRunning(pid)).toBe(true)
  })

  it("has all of what was printed before it ended", async () => {
    const dir = await tempProject()
    const { output } = await check("sleep 300 & seq 1 20000", dir)
    expect(output).toMatch(/20000\n$/)
  })

  it("fails with any command of a pipe", async () => {
    const dir = await tempProject()
    expect(await check("echo 3 failed && false | tail -1", dir)).toMatchObject({ exit: 1 })
    expect(await check("(echo bad; exit 5) | tail -1", dir)).toMatchObject({ exit: 5, output: "bad\n" })
    expect(await check("echo fine | tail -1", dir)).toMatchObject({ exit: 0 })
    // Of other commands it is the shell that decides, as everywhere.
    expect(await runCommand("false | tail -1", dir, 60_000)).toMatchObject({ exit: 0 })
  })

  it("runs without a bash too", async () => {
    const dir = await tempProject()
    const path = process.env["PATH"]
    onTestFinished(() => {
      process.env["PATH"] = path
    })
    process.env["PATH"] = join(dir, "nothing")
    expect(await check('echo "it\'s $((1 + 1))"; exit 6', dir)).toMatchObject({ exit: 6, output: "it's 2\n" })
  })
})
