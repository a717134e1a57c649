import { appendFileSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { judgeCall } from "../../../src/gate/call.ts"
import { isFolder } from "../../../src/gate/loss/on-disk.ts"
import { ownWork } from "../../../src/gate/loss/own-work.ts"
import { whatIsLost } from "../../../src/gate/loss/what-is-lost.ts"
import { refuseProtectedPaths } from "../../../src/gate/protected-paths.ts"
import { judgeCommand } from "../../../src/gate/shell/judge.ts"
import { readCall } from "../../../src/hosts/opencode/calls.ts"
import { tempProject } from "../../support/temp-project.ts"
import { oldWork } from "./old-work.ts"

// Each list was tried once for real, on copies of such a repository, and every text of it looked for afterwards.
for (const [list, state] of [
  ["over-open-work", "dirty"],
  ["over-commits", "clean"],
  ["everyday", "dirty"],
] as const)
  it(`a trial of commands, ${list}: refused is what loses something, and what is known to go wrong is as listed`, async () => {
    const judge = await judgeIn(oldWork(realpathSync(await tempProject()), state), state)
    const wrong: string[] = []
    for (const { isRefused, command } of readList(list))
      if ((await judge(command)) !== isRefused) wrong.push(`${isRefused ? "passed" : "refused"}: ${command}`)
    expect(wrong).toEqual([])
  })

/** `# refused …` and `# passes …` head what follows them. */
function readList(name: string): { isRefused: boolean; command: string }[] {
  const lines = readFileSync(new URL(`${name}.txt`, import.meta.url), "utf8").split("\n")
  let isRefused = false
  return lines.flatMap((line) => {
    if (line.startsWith("# ")) isRefused = line.startsWith("# refused")
    if (line === "" || line.startsWith("# ")) return []
    return [{ isRefused, command: line.replaceAll("⏎", "\n") }]
  })
}

async function judgeIn(
  project: string,
  state: "dirty" | "clean",
): Promise<(command: string) => Promise<boolean>> {
  const home = join(project, "../home")
  const work = ownWork(project)
  // What is younger than the session by the clock of the file system, which ticks in steps, counts as its own.
  const made = Date.now()
  await expect.poll(() => Date.now(), { interval: 5 }).toBeGreaterThan(made + 50)
  work.begin("s")
  // Waits for what was there when the session began.
  await work.isOwn("s", "x")
  if (state === "dirty") {
    writeFileSync(join(project, "src/own.ts"), "of this session\n")
    appendFileSync(join(project, "src/clean2.ts"), "of this session\n")
  }
  return async (command) => {
    const read = readCall({ id: "1", tool: "bash", args: { command }, agent: "build", session: "s" })
    const call = judgeCall(read, {
      projectDir: project,
      directory: project,
      judge: (text, cwd) => judgeCommand(text, { project, hive: project, home, cwd, isFolder }),
    })
    try {
      refuseProtectedPaths(call)
    } catch {
      return true
    }
    const { destructive = null, losses = [] } = call.shell ?? {}
    if (destructive !== null) return true
    const lost = await whatIsLost(losses, {
      project,
      home,
      isOwn: (path) => work.isOwn("s", path),
      isTaken: (path) => work.isTaken("s", path),
      isYoung: (path) => work.isYoung("s", path),
      began: work.began("s"),
    })
    return lost !== undefined
  }
}
