import { execFile, spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { openHive } from "../src/api.ts"
import { tempProject } from "./support/temp-project.ts"

const folder = join(import.meta.dirname, "..", "examples")
const run = promisify(execFile)

async function example(name: string, cwd: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [join(folder, name), ...args], { cwd })
  expect(stderr).toBe("")
  return stdout
}

it("the page names every example", () => {
  const page = readFileSync(join(folder, "README.md"), "utf8")
  const names = readdirSync(folder).filter((name) => name.endsWith(".mjs"))
  expect(names.length).toBeGreaterThanOrEqual(4)
  expect(names.filter((name) => !page.includes(`(${name})`))).toEqual([])
})

it("plan-from-list makes tasks that wait for each other, and report tells of them", async () => {
  const dir = await tempProject()
  writeFileSync(join(dir, "steps.txt"), "Change the schema\n\nMove the amounts\n")
  expect(await example("plan-from-list.mjs", dir, "Move to cents", "steps.txt")).toMatch(
    /^\w{8} planned Change the schema\n\w{8} blocked Move the amounts\n$/,
  )
  const report = await example("report.mjs", dir)
  const tasks = "- Change the schema: planned\n- Move the amounts: blocked, "
  expect(report).toContain(`## Move to cents (0 of 2 done)\n${tasks}`)
  expect(report).toMatch(/told this in \d+ tokens/)
  const refused = (...args: string[]) => expect(example("plan-from-list.mjs", dir, ...args)).rejects
  const why = expect.stringContaining("plans.create was not run: title is not valid.")
  await refused("x".repeat(5000), "steps.txt").toMatchObject({ code: 1, stderr: why })
  for (const args of [[], ["Move to cents"], ["", "steps.txt"]])
    await refused(...args).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Usage: /) })
  writeFileSync(join(dir, "steps.txt"), Array.from({ length: 60 }, (_, n) => `Step ${n}`).join("\n"))
  expect((await example("plan-from-list.mjs", dir, "Many", "steps.txt")).trim().split("\n")).toHaveLength(60)
})

it("decisions finds what was decided, and says when nothing was", async () => {
  const dir = await tempProject()
  const hive = await openHive(dir)
  await hive.memory.save({ content: "Amounts are whole cents", kind: "decision" })
  await hive.close()
  const found = "decision: Amounts are whole cents\n  (words: cents)\n"
  expect(await example("decisions.mjs", dir, "why cents")).toBe(found)
  expect(await example("decisions.mjs", dir, "zebra")).toBe("Nothing is known about that.\n")
})

it("follow prints what another process writes, and ends when it is told to", async () => {
  const dir = await tempProject()
  const child = spawn(process.execPath, [join(folder, "follow.mjs")], { cwd: dir, stdio: "pipe" })
  onTestFinished(() => void child.kill("SIGKILL"))
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text))
  const ended = new Promise((resolve) => child.once("exit", resolve))
  await expect.poll(() => printed).toContain("Following.")
  const hive = await openHive(dir)
  await hive.memory.save({ content: "Amounts are whole cents" })
  await hive.close()
  await expect.poll(() => printed).toContain(" api add mem\n")
  child.kill("SIGINT")
  expect(await ended).toBe(0)
})
