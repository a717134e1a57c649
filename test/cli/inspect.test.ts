import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { aMem, by } from "../support/records.ts"
import { everyFile, type Filled, fillProject, MEM, SESSION, withStore } from "./filled-project.ts"
import { cli, dropSandbox, makeSandbox, type Sandbox } from "./harness.ts"

let box: Sandbox
let filled: Filled
beforeEach(async () => {
  box = await makeSandbox()
  filled = await fillProject(box.project)
})
afterEach(() => dropSandbox(box))

const inspect = (...args: string[]) => cli(box, ["inspect", ...args])
const asJson = async (...args: string[]) => JSON.parse((await inspect(...args, "--json")).stdout)

describe("inspect", () => {
  test("without more is a scan of the project, and writes nothing", async () => {
    const before = await everyFile(box.project)
    const { code, stdout, stderr } = await inspect()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.replaceAll(/[0-9a-f]{8} /g, "")).toContain(
      `intent       Add a login page
place        plan "Login" (active)
             phase "Build" (active)
             task "Build login" (active)
graph        1 plan (1 open), 2 tasks (1 planned, 1 active), 1 mem, 1 anchor, 1 session (1 open)
needs a look nothing
`,
    )
    expect(await everyFile(box.project)).toEqual(before)
  })

  test("--session is that session's view; --json has the same for programs", async () => {
    expect((await inspect("scan", "--session", filled.stamp)).stdout).toContain(
      `session      ${filled.stamp}\n`,
    )
    expect(await asJson("scan", "--session", SESSION)).toMatchObject({
      status: "success",
      project: box.project,
      session: filled.stamp,
      place: [expect.any(String), expect.any(String), expect.stringContaining("Build login")],
      counts: { plans: 1, tasks: { active: 1, planned: 1 } },
      look: [],
    })
    expect((await inspect("scan", "--session", "nobody")).code).toBe(1)
  })

  test("deep shows the task at hand, or what is named by id, short id or stamp", async () => {
    const { stdout } = await inspect("deep")
    expect(stdout).toMatch(new RegExp(`^task ${filled.task.slice(0, 8)}\n`))
    expect(stdout).toMatch(/\ntitle +Build login\n/)
    expect(stdout).toMatch(
      /\nabove +[0-9a-f]{8} plan "Login" \(active\)\n +[0-9a-f]{8} phase "Build" \(active\)\n/,
    )
    expect(stdout).toMatch(/\nbeside +[0-9a-f]{8} task "Write tests" \(planned\)\n/)
    expect(stdout).toMatch(/\n← mem\.origin_task_id +[0-9a-f]{8} mem "Use jose" \(active\)\n/)
    expect((await inspect("deep", MEM)).stdout).toMatch(/\n→ origin_task_id +[0-9a-f]{8} task "Build login"/)
    expect((await inspect("deep", filled.task.slice(0, 8))).stdout).toBe(stdout)
    expect((await inspect("deep", filled.stamp)).stdout).toMatch(/^session [0-9a-f]{8}\n.*ses_one/s)
    expect(await asJson("deep", MEM)).toMatchObject({ kind: "mem", record: { content: "Use jose" } })
  })

  test("deep of a session lists what came of it, a line for each", async () => {
    await withStore(box.project, (store) =>
      store.append({ ...by, session: SESSION }, (tx) => {
        tx.add("mem", aMem(30, { content: "Cents, not floats", kind: "decision" }))
        tx.add("mem", aMem(31, { content: "Tokens in cookies", kind: "fact" }))
      }),
    )
    const { stdout } = await inspect("deep", filled.stamp)
    expect(stdout).toMatch(
      /\nmems +\w{8} {2}decision {2}Cents, not floats\n +\w{8} {2}fact {2}Tokens in cookies\n/,
    )
  })

  test("drift says how many calls there were, and of which kind", async () => {
    expect((await inspect("drift")).stdout).toMatch(/\ncalls +none\n$/)
    await withStore(box.project, (store) =>
      store.append(by, (tx) => {
        tx.count(SESSION, "calls write", 2)
        tx.count(SESSION, "tool_failures", 1)
      }),
    )
    expect((await inspect("drift")).stdout).toMatch(/\ncalls +2: 2 write, 1 failed\n$/)
  })

  test("drift says the scores and what moved them, of the newest session unless another is named", async () => {
    const { code, stdout } = await inspect("drift")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^session +ses_one\ndrift +\d+ of 100\n.*health +\d+ of 100\n.*warnings +none\n/s)
    expect(await asJson("drift", "--session", filled.stamp)).toMatchObject({
      session: SESSION,
      drift: { score: expect.any(Number), moved: expect.any(Array) },
    })
  })

  test("drift shows stopped turns and acknowledges them, also in a session that the graph knows nothing else of", async () => {
    await withStore(box.project, (store) =>
      store.append(by, (tx) => {
        tx.count("ses_stopped", "cancels", 3)
        tx.register("ses_stopped", "cancels before row", 0)
      }),
    )
    const named = ["drift", "--session", "ses_stopped"]
    const cancels = { signal: "cancels", shown_to: "model" }
    expect(await asJson(...named)).toMatchObject({ governance: "assisted", warnings: [cancels] })
    const quiet = await asJson(...named, "--acknowledge", "cancels")
    expect(quiet).toMatchObject({ warnings: [], acknowledged: [cancels] })
  })

  test.each([
    [["deep", "deadbeef"], 1, "There is no record deadbeef."],
    [["deep", "591231122025"], 1, "trace finds everything"],
    [["scan", "deadbeef"], 2, "scan does not take the id deadbeef."],
    [["deep", "--acknowledge", "failures"], 2, "deep does not take --acknowledge."],
    [["closely"], 2, "Allowed choices are scan, deep, drift"],
  ])("%j is refused with %d", async (args, code, words) => {
    const run = await inspect(...args)
    expect(run).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(words) })
  })

  test("a person is told where there is nothing to acknowledge", async () => {
    const args = ["inspect", "drift", "--acknowledge", "failures"]
    const run = await cli(box, args, box.project, {}, { isTTY: true })
    expect(run.stderr).toContain("no warning failures to acknowledge")
  })

  test("stored text cannot steer the terminal", async () => {
    await withStore(box.project, (store) =>
      store.write(by, (tx) =>
        tx.set("task", filled.task, { title: "Build\u001b[2J\nlogin", expected_output: "\u001b[31m" }),
      ),
    )
    for (const what of ["scan", "deep"]) {
      const { stdout } = await inspect(what)
      expect(stdout).toContain("Build[2J login")
      expect(stdout).not.toContain("\u001b")
    }
  })
})
