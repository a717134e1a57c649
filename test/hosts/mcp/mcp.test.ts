import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { refusalFile } from "../../../src/store/files/log-file.ts"
import { tools } from "../../../src/tools/index.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { isRunning } from "../../support/is-running.ts"
import { CLI, mcpClient } from "../../support/mcp-client.ts"
import { stateIn } from "../../support/state-in.ts"
import { tempProject } from "../../support/temp-project.ts"

const SAVER = fileURLToPath(new URL("../../support/mcp-saver.mjs", import.meta.url))

async function withTask(more: Record<string, unknown> = {}) {
  const dir = gitRepo(await tempProject())
  const on = await mcpClient({ cwd: dir, ...more })
  const plan = await on.call("plan", { action: "create", title: "Ship it", acceptance: [] })
  const planned = await on.call("plan", {
    action: "plan_tasks",
    plan_id: plan.entity_id,
    tasks: [{ title: "Write the parser", expected_output: "parser.ts", verify: "test -f parser.ts" }],
  })
  const task: string = planned.tasks[0].entity_id
  return { dir, ...on, task }
}

it("lists every tool with its schema", async () => {
  const { client } = await mcpClient({ cwd: await tempProject() })
  const listed = await client.listTools()
  expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
  const memory = listed.tools.find(({ name }) => name === "hivemind_memory")
  expect(memory?.inputSchema.properties?.["action"]).toMatchObject({
    enum: expect.arrayContaining(["save", "recall"]),
  })
  expect(client.getInstructions()).toContain("hivemind_session start")
})

it("connecting and reading creates nothing in a project", async () => {
  const dir = gitRepo(await tempProject())
  const { client, call } = await mcpClient({ cwd: dir })
  await client.listTools()
  expect((await client.readResource({ uri: "hivemind://state" })).contents[0]).toMatchObject({
    text: expect.stringContaining("Nothing"),
  })
  expect(await call("memory", { action: "recall", query: "anything" })).not.toHaveProperty("state")
  expect(openFileStore(dir, { source: systemSource }).isThere()).toBe(false)
})

it("the first reply has the whole state, later ones the changes, if there are any", async () => {
  const { dir, call, task } = await withTask()
  const other = await mcpClient({ cwd: dir, name: "another" })
  const first = await other.call("memory", { action: "list" })
  expect(first.state).toMatch(/<hivemind_state[\s\S]*Write the parser/)
  expect(await other.call("memory", { action: "list" })).not.toHaveProperty("state")
  await call("task", { action: "start", task_id: task })
  const later = await other.call("memory", { action: "list" })
  expect(later.state).toMatch(/<hivemind_delta[\s\S]*Write the parser/)
  expect(later.state).not.toContain("<hivemind_state")
  const asked = await other.call("session", { action: "status" })
  expect(asked.state).toContain("<hivemind_state")
})

it("records a session under the client's name, and closes it when the client disconnects", async () => {
  const { dir, client, call } = await withTask({ name: "claude-code" })
  await call("session", { action: "start", intent: "ship" })
  const sessions = () => [...stateIn(dir).session.values()]
  expect(sessions()).toMatchObject([{ agent: "claude-code", status: "active", intent: "ship" }])
  await client.close()
  await expect.poll(() => sessions()[0]?.status).toBe("closed")
})

it("the question for permission shows hidden characters of a command", async () => {
  const asked: string[] = []
  const onAsked = (message: string) => {
    asked.push(message)
    return "decline" as const
  }
  const { call } = await mcpClient({ cwd: gitRepo(await tempProject()), onAsked })
  await call("shell", { command: "echo a\n\techo \u202eb\u001b[8m; touch made" })
  expect(asked[0]).toContain("echo a\n\techo \\u{202e}b\\u{1b}[8m; touch made")
})

it("cancelling a call cancels its question for permission", async () => {
  const dir = gitRepo(await tempProject())
  const questions: AbortSignal[] = []
  const onAsked = (_: string, question: AbortSignal) => {
    questions.push(question)
    return new Promise<"accept">((resolve) => question.addEventListener("abort", () => resolve("accept")))
  }
  // The official client does not hear that a server's first question, of id 0, is taken back: that is the one for its roots.
  const { client } = await mcpClient({ cwd: dir, roots: [dir], onAsked })
  const stop = new AbortController()
  const params = { name: "hivemind_shell", arguments: { command: "touch made" } }
  const calling = client.callTool(params, undefined, { signal: stop.signal }).catch(() => "taken back")
  await expect.poll(() => questions).toHaveLength(1)
  stop.abort()
  expect(await calling).toBe("taken back")
  await expect.poll(() => questions[0]?.aborted).toBe(true)
  expect(existsSync(join(dir, "made"))).toBe(false)
})

it("a killed client leaves its acknowledged writes, a closed session, and no process", async () => {
  const dir = gitRepo(await tempProject())
  const saver = spawn(process.execPath, [SAVER, CLI, dir], { stdio: ["ignore", "pipe", "ignore"] })
  const saved: { pid: number; id: string }[] = []
  for await (const line of createInterface({ input: saver.stdout })) {
    saved.push(JSON.parse(line))
    if (saved.length === 20) saver.kill("SIGKILL")
  }
  await expect.poll(() => [...stateIn(dir).session.values()][0]?.status).toBe("closed")
  await expect.poll(() => isRunning(saved[0]?.pid ?? 0)).toBe(false)
  const { mem } = stateIn(dir)
  expect(saved.filter(({ id }) => mem.get(id) === undefined)).toEqual([])
  expect(openFileStore(dir, { source: systemSource }).health().problems).toEqual([])
})

it("files that change between two calls are recorded for the current task", async () => {
  const { dir, call, task } = await withTask()
  await call("task", { action: "start", task_id: task })
  writeFileSync(join(dir, "parser.ts"), "export {}\n")
  await call("memory", { action: "list" })
  const files = [...stateIn(dir).checkpoint.by("task_id", task)].flatMap((each) => each.files)
  expect(files).toContain("parser.ts")
})

it("a task is done only when its check has passed, and the check runs only with leave", async () => {
  const asked: string[] = []
  let answer: "accept" | "decline" = "decline"
  const onAsked = (message: string) => {
    asked.push(message)
    return answer
  }
  const { dir, call, task } = await withTask({ onAsked })
  await call("task", { action: "start", task_id: task })
  const complete = () => call("task", { action: "complete", task_id: task, evidence: "done" })
  expect(await complete()).toMatchObject({ status: "error", isError: true, why: "The user refused it." })
  expect(asked[0]).toContain("test -f parser.ts")
  answer = "accept"
  expect(await complete()).toMatchObject({ status: "error" })
  writeFileSync(join(dir, "parser.ts"), "export {}\n")
  expect(await complete()).toMatchObject({ status: "success" })
  expect(stateIn(dir).task.get(task)?.status).toBe("completed")
})

it("runs no command if the client cannot ask the user, unless the configuration allows it", async () => {
  const dir = gitRepo(await tempProject())
  const shut = await mcpClient({ cwd: dir })
  await shut.call("memory", { action: "save", content: "Refusals are kept in a hive only." })
  expect(await shut.call("shell", { command: "touch made" })).toMatchObject({
    status: "error",
    use_instead: expect.stringContaining("run_commands"),
  })
  expect(refusalFile(hivePaths(dir)).read()).toMatchObject([
    { code: "not_allowed", command: "touch made", needs_permission: true },
  ])
  // Nor where the agent itself, or the project, says so.
  await mkdir(join(dir, ".hivemind/system"), { recursive: true })
  writeFileSync(join(dir, ".hivemind/system/config.json"), '{"run_commands":"allow"}')
  const allowedByItself = await mcpClient({ cwd: dir })
  expect(await allowedByItself.call("shell", { command: "touch made" })).toMatchObject({ status: "error" })
  expect(existsSync(join(dir, "made"))).toBe(false)
  const home = await tempProject()
  await mkdir(join(home, "hivemind"), { recursive: true })
  writeFileSync(join(home, "hivemind/config.json"), '{"run_commands":"allow"}')
  writeFileSync(join(dir, "a.txt"), "the user's own work\n")
  const open = await mcpClient({ cwd: dir, env: { XDG_CONFIG_HOME: home } })
  expect(await open.call("shell", { command: "echo hello" })).toMatchObject({ exit: 0, output: "hello\n" })
  // An irreversible command stays refused.
  expect(await open.call("shell", { command: "git checkout a.txt" })).toMatchObject({
    status: "error",
    refused: expect.stringContaining("WHAT"),
  })
})

it("wrong arguments, unknown tools, prompts and resources get a clear answer", async () => {
  const { client, call } = await mcpClient({ cwd: await tempProject() })
  expect(await call("memory", { action: "sav" })).toMatchObject({ isError: true, code: "invalid_argument" })
  expect(await call("memory", { action: "save", content: 5 })).toMatchObject({ isError: true })
  await expect(call("nothing", {})).rejects.toThrow("hivemind_nothing")
  await expect(client.getPrompt({ name: "x" })).rejects.toThrow("no prompt x")
  await expect(client.readResource({ uri: "hivemind://x" })).rejects.toThrow("hivemind://state")
})

it("the state can be read as a resource and as a prompt", async () => {
  const { client } = await withTask()
  const { contents } = await client.readResource({ uri: "hivemind://state" })
  expect(JSON.stringify(contents)).toContain("Write the parser")
  const prompt = await client.getPrompt({ name: "state" })
  expect(JSON.stringify(prompt.messages)).toContain("Write the parser")
  expect((await client.listPrompts()).prompts).toHaveLength(1)
})

it("uses the client's folder as the project; of several folders, the one with a hive", async () => {
  const elsewhere = await tempProject()
  const first = gitRepo(join(await tempProject(), "one"))
  const { dir: second } = await withTask()
  const { call } = await mcpClient({ cwd: elsewhere, roots: [first, second] })
  expect((await call("memory", { action: "list" })).state).toContain("Write the parser")
  const named = await mcpClient({ cwd: elsewhere, roots: [second], args: ["--dir", first] })
  expect(await named.call("memory", { action: "list" })).not.toHaveProperty("state")
})
