import { spawn } from "node:child_process"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { cli } from "../cli/harness.ts"
import { stateIn } from "../support/state-in.ts"
import { findOpencode } from "./bed/opencode-binary.ts"
import { makeScratch, REPOSITORY, type Scratch } from "./bed/scratch.ts"
import { startScriptedModel } from "./bed/scripted-model.ts"
import { say, write } from "./bed/steps.ts"

it("`opencode run` leaves a session file and an export behind when its process ends, and no task at work", async () => {
  const model = await startScriptedModel()
  const scratch = makeScratch(model.url, { git: true, hive: true, files: { "a.txt": "a\n" } })
  try {
    model.script(write("b.txt", "b\n"), say("b.txt is there."))
    const { code, output } = await runOnce(scratch, "From now on use pnpm. Add b.txt")
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("b.txt is there.") })
    const sessions = join(scratch.project, ".hivemind", "sessions")
    expect(readdirSync(sessions).filter((name) => name.endsWith(".md"))).toHaveLength(1)
    expect(readdirSync(join(sessions, "archive", "exports"))).toHaveLength(1)
    const box = { root: "", home: scratch.project, project: scratch.project }
    const { stdout } = await cli(box, ["status"])
    expect(stdout).toMatch(/unplanned +(?!Session of)\S.* ago\n +b\.txt\n +b\.txt is there\.\n/)
    expect(stdout).not.toContain("Unplanned:")
    // OpenCode puts the argument in quotes.
    expect([...stateIn(scratch.project).mem.values()].find(({ kind }) => kind === "rule")?.content).toContain(
      "pnpm",
    )
    expect(Array.from(stateIn(scratch.project).task.values(), ({ status }) => status)).toEqual(["completed"])
  } finally {
    await model.close()
    rmSync(scratch.root, { recursive: true, force: true, maxRetries: 5 })
  }
})

async function runOnce({ project, env }: Scratch, message: string) {
  const child = spawn(findOpencode(REPOSITORY), ["run", message], {
    cwd: project,
    env: { ...env, PWD: project },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  return { code, output }
}
