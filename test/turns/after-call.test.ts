import { expect, it } from "vitest"
import { analyzeCall } from "../../src/gate/call.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { afterCall } from "../../src/turns/after-call.ts"
import type { PassedCalls } from "../../src/turns/before-call.ts"
import { newsInTurn } from "../../src/turns/news.ts"
import { memoryHive } from "../support/hive.ts"
import { callSteps } from "../support/tree.ts"
import { callTool } from "../tools/call-tool.ts"

it("a checkpoint says what its command did: tests, a build, a commit", async () => {
  const hive = memoryHive()
  await callTool(hive, "session", { action: "update", level: "action", content: "Write code" })
  const calls: PassedCalls = new Map()
  const after = afterCall({
    onChange: () => {},
    hive: async () => hive,
    calls,
    injections: () => [],
    agentOf: () => null,
    news: newsInTurn(),
    ...callSteps(),
  })
  const base = { session: "ses_1", agent: null, tool: "bash" }
  const read = (command: string, cwd: string) => readCommand(command, { project: "/p", cwd, home: "/h" })
  const run = async (command: string, exit = 0) => {
    const place = { projectDir: "/p", directory: "/p", read }
    const call = analyzeCall(readCall({ ...base, id: command, args: { command } }), place)
    calls.set(command, { call, passed: { task: null, inherited: false, warnings: [], allowed: [] } })
    await after({
      ...base,
      id: command,
      ok: true,
      exit,
      said: "",
      isSilent: false,
      isStopped: false,
      child: null,
    })
    return [...hive.store.read().state.checkpoint.values()].find((each) => each.command === command)
  }
  const did = async (command: string) => (await run(command))?.did
  expect(await did("npm test")).toEqual(["test"])
  expect(await did("npx tsc")).toEqual(["build"])
  expect(await did("npm test && git commit -am done")).toEqual(["test", "commit"])
  expect(await did("git -C app commit -m done")).toEqual(["commit"])
  expect(await did("git add commit.ts")).toEqual([])
  expect(await did("grep commit a.ts")).toBeUndefined()
  expect(await run("npm run lint", 1)).toMatchObject({ did: ["build"], ok: false })
  // A grep that has found nothing ends with 1: the check may have passed, and completing the task runs it.
  expect(await run("npm test | grep FAIL", 1)).toMatchObject({ did: [], ok: true })
})
