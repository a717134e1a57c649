import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { GitFailure, runGit } from "../../../src/project/git/run-git.ts"
import { git } from "../../support/git-repo.ts"
import { isRunning } from "../../support/is-running.ts"
import { tempProject } from "../../support/temp-project.ts"

it("git that does not answer is ended with all that it started, and the failure says so", async () => {
  const dir = await tempProject()
  git(dir, "init", "-q")
  const started = join(dir, "ssh.pid")
  const ssh = `sh -c 'echo $$ > ${started}.part; mv ${started}.part ${started}; sleep 300; exit 0'`
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = runGit(dir, ["fetch", "ssh://nowhere/x"], { timeoutMs: 400, env: { GIT_SSH_COMMAND: ssh } })
  const failed = asked.catch((error: unknown) => error)
  await expect.poll(() => existsSync(started)).toBe(true)
  vi.advanceTimersByTime(400)
  const failure = await failed
  expect(failure).toBeInstanceOf(GitFailure)
  expect((failure as GitFailure).said).toBe("timed out after 400 ms")
  const pid = Number(readFileSync(started, "utf8"))
  await expect.poll(() => isRunning(pid)).toBe(false)
})

it("git never asks for a password if there is no terminal", async () => {
  const dir = await tempProject()
  git(dir, "init", "-q")
  const env = { GIT_SSH_COMMAND: "sh -c 'echo tty: $(tty <&1) prompt: $GIT_TERMINAL_PROMPT >&2; exit 1'" }
  const failure = await runGit(dir, ["fetch", "ssh://nowhere/x"], { timeoutMs: 10_000, env }).catch(
    (error: unknown) => error,
  )
  expect((failure as GitFailure).said).toContain("prompt: 0")
})
