import { execFile, execFileSync } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { findOpencode } from "./bed/opencode-binary.ts"
import { CLI, makeProject, makeScratch, REPOSITORY } from "./bed/scratch.ts"
import { startScriptedModel } from "./bed/scripted-model.ts"

it("the entry that init makes loads HiveMind in every worktree of its project, and does nothing in another one", async () => {
  const model = await startScriptedModel()
  const scratch = makeScratch(model.url, { plugin: false, git: true })
  const { root, project, env } = scratch
  onTestFinished(async () => {
    await model.close()
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  })
  const other = makeProject(scratch, "other", model.url, { plugin: false, git: true })
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project, env, stdio: "ignore" })
  const hivemind = (...args: string[]) =>
    execFileSync(process.execPath, [CLI, ...args], { cwd: project, env })
  const toolsIn = async (cwd: string) => {
    const before = model.requests.length
    await new Promise<void>((resolve) => {
      const child = execFile(findOpencode(REPOSITORY), ["run", "Hello"], { cwd, env }, () => resolve())
      child.stdin?.end()
    })
    const tools = model.requests.slice(before).flatMap((request) => request.tools)
    return tools.filter((tool) => tool.startsWith("hivemind_")).length
  }

  hivemind("init", "--yes")
  const linked = join(root, "linked")
  git("worktree", "add", "-q", "-b", "topic", linked)
  git("clean", "-fdq")
  git("stash", "-u")
  for (const folder of [project, linked]) expect(await toolsIn(folder), folder).toBe(12)
  expect(await toolsIn(other)).toBe(0)
  expect(existsSync(join(other, ".hivemind"))).toBe(false)
  expect(readdirSync(join(other, ".git"))).not.toContain("hivemind")
  hivemind("uninstall", "--yes")
  expect(await toolsIn(project)).toBe(0)
}, 120_000)
