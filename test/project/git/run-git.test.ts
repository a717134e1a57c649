import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { GitFailure, runGit } from "../../../src/project/git/run-git.ts"
import { git } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

it("git that does not answer is ended with all that it started, and the failure says so", async () => {
  const dir = await tempProject()
  git(dir, "init", "-q")
  const mark = join(dir, "woke")
  const ssh = `sh -c 'sleep 3; touch ${mark}'`
  const began = Date.now()
  const asked = runGit(dir, ["fetch", "ssh://nowhere/x"], { timeoutMs: 400, env: { GIT_SSH_COMMAND: ssh } })
  const failure = await asked.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(GitFailure)
  expect((failure as GitFailure).said).toBe("timed out after 400 ms")
  // Its pipes are closed only when the last of them has ended.
  expect(Date.now() - began).toBeLessThan(2900)
  expect(existsSync(mark)).toBe(false)
})

it("nobody is asked for a password where nobody waits", async () => {
  const dir = await tempProject()
  git(dir, "init", "-q")
  const env = { GIT_SSH_COMMAND: "sh -c 'echo tty: $(tty <&1) prompt: $GIT_TERMINAL_PROMPT >&2; exit 1'" }
  const failure = await runGit(dir, ["fetch", "ssh://nowhere/x"], { timeoutMs: 10_000, env }).catch(
    (error: unknown) => error,
  )
  expect((failure as GitFailure).said).toContain("prompt: 0")
})
