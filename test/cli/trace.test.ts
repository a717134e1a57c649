import { execFileSync } from "node:child_process"
import { beforeEach, describe, expect, test } from "vitest"
import { readableStamp } from "../../src/shared/stamp.ts"
import { everyFile, type Filled, fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
let filled: Filled
beforeEach(async () => {
  filled = await fillProject(box.project)
})

describe("trace", () => {
  test("prints the chain of a stamp, one line for each hit, and writes nothing", async () => {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: box.project, stdio: "ignore" })
    git("init")
    const who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    git(...who, "commit", "--allow-empty", "-m", `[${filled.stamp}] \u001b[2Jlogin`)
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await cli(box, ["log", "trace", filled.stamp])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const lines = stdout.trimEnd().split("\n")
    for (const line of lines)
      expect(line).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} {2}(graph|log|git) +\S/)
    expect(stdout).toContain('"Add a login page" (active)')
    expect(stdout).toContain("a session began: Add a login page")
    const commit = lines.find((line) => line.includes("  git  ")) ?? ""
    expect(commit).toMatch(/ {2}commit [0-9a-f]{12} /)
    expect(commit.endsWith(`[${filled.stamp}] [2Jlogin`)).toBe(true)
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("--json has the hits, what was left out, and what could not be asked", async () => {
    const { stdout } = await cli(box, ["log", "trace", readableStamp(filled.stamp), "--json"])
    const { status, stamp, hits, left_out, notes } = JSON.parse(stdout)
    expect({ status, stamp, left_out, notes }).toEqual({
      status: "success",
      stamp: filled.stamp,
      left_out: {},
      notes: [expect.stringContaining("git")],
    })
    expect(hits[0]).toMatchObject({ source: "graph", at: expect.any(String), where: expect.any(String) })
  })

  test("a stamp that nothing carries is reported, with exit code 1", async () => {
    const { code, stdout } = await cli(box, ["log", "trace", "000001011999"])
    expect(code).toBe(1)
    expect(stdout).toContain("Nothing carries the stamp 000001011999.")
  })

  test("what is no stamp is wrong usage", async () => {
    const { code, stderr } = await cli(box, ["log", "trace", "yesterday"])
    expect(code).toBe(2)
    expect(stderr).toContain('"yesterday" is not a stamp.')
    expect((await cli(box, ["log", "trace"])).code).toBe(2)
  })
})
