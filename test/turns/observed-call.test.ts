import { expect, it } from "vitest"
import { analyzeCall } from "../../src/gate/call.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { observedCall } from "../../src/turns/observed-call.ts"
import { judgeChecks } from "../../src/work/task/check-summary.ts"

const PASSED = "# pass 3\n# fail 0"
const FAILED = "# pass 2\n# fail 1"

function checkOf(command: string, exit: number, output: string, { isStopped = false } = {}) {
  const base = { id: "1", session: "ses_1", agent: null, tool: "bash" }
  const call = analyzeCall(readCall({ ...base, args: { command } }), {
    projectDir: "/p",
    directory: "/p",
    read: (text, cwd) => readCommand(text, { project: "/p", cwd, home: "/h" }),
  })
  const result = { ...base, ok: true, exit, said: output, isSilent: false, isStopped, child: null }
  const check = judgeChecks(command, { exit, output })
  const event = observedCall(result, call, { changed: [], task: null, step: null, check })
  return event.what === "call" ? event.check : undefined
}

it("a check has ended as the evidence says", () => {
  expect(checkOf("npm test", 0, PASSED)).toBe("passed")
  expect(checkOf("npm test", 1, FAILED)).toBe("failed")
  expect(checkOf("npm test || true", 0, PASSED)).toBe("passed")
  expect(checkOf("npm test | tail -2", 0, PASSED)).toBe("passed")
  expect(checkOf("npm test | tail -2", 0, "Done")).toBe("unknown")
})

it("a failure that only the output tells, and a check that was stopped, count as unknown", () => {
  expect(checkOf("npm test | tail -2", 0, FAILED)).toBe("unknown")
  expect(checkOf("npm test", 1, "", { isStopped: true })).toBe("unknown")
})

it("a commit and a command that checks nothing are no check", () => {
  expect(checkOf("git commit -m x", 1, "nothing to commit")).toBeNull()
  expect(checkOf("ls", 0, "a.ts")).toBeNull()
})
