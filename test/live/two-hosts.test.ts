import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { trials } from "../support/effort.ts"
import { stateIn } from "../support/state-in.ts"
import { busyTurn } from "./bed/busy-session.ts"
import { HOSTS, openHostBed } from "./bed/host-bed.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { noOpencode2 } from "./bed/opencode2.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, calls, hive, save, say, update } from "./bed/steps.ts"

const files = { "notes.md": "Some notes.\n".repeat(20) }

const idIn = ({ toolOutputs: [text = ""] }: ModelRequest, name: string) =>
  new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]

if (noOpencode2 !== undefined) it.skip(noOpencode2, () => {})

describe.each(noOpencode2 === undefined ? HOSTS : [1 as const])("OpenCode %i", (version) => {
  it.each([
    ["openai", trials(4, 12)],
    ["anthropic", trials(4, 12)],
  ] as const)(
    "3 tool steps a turn in the form of %s, %i turns, the graph changing in each: 100 % prefix, also across a restart",
    async (format, count) => {
      await using bed = await openHostBed(version, { files, format })
      const session = await bed.newSession("s")
      for (let turn = 1; turn <= count; turn++) {
        if (turn === count / 2 + 1) await bed.restart()
        const { error, requests } = await busyTurn(bed, session, turn)
        expect(error).toBeUndefined()
        expect(JSON.stringify(requests[0]?.body)).toContain(`Rule ${turn} holds`)
      }
      expect(bed.model.turns()).toHaveLength(4 * count)
      expect(new Set(prefixFigures(bed.model.turns()).kept)).toEqual(new Set([1]))
      expect(bed.printed()).toBe("")
      expect(await bed.pluginLog()).not.toContain("error")
    },
  )

  it("the state comes again after a compaction", async () => {
    await using bed = await openHostBed(version, { files })
    const session = await bed.newSession("s")
    for (const turn of [1, 2]) await busyTurn(bed, session, turn)
    await bed.compact(session)
    const { requests } = await busyTurn(bed, session, 3)
    const sent = JSON.stringify(requests[0]?.body)
    expect(sent).toContain("<hivemind_state")
    expect(sent).toContain("Rule 1 holds")
    const hidden = bed.model.requests.filter(({ kind }) => kind === "compaction")
    expect(hidden).toHaveLength(1)
    expect(JSON.stringify(hidden[0]?.body)).not.toContain("<hivemind_state")
    await expect.poll(() => [...bed.state().metrics.values()].length).toBeGreaterThan(0)
  })

  it("in strict a write without a task is refused, in parallel calls each with its own text, and passes with one", async () => {
    await using bed = await openHostBed(version, { hive: true, pluginOptions: { governance: "strict" } })
    const session = await bed.newSession("s")
    const write = bed.does.write("one.txt", "1")
    const ownFile = bed.does.write(".hivemind/graph/x.json", "{}")
    const refused = calls(write, ownFile, hive("task complete", { evidence: "x" }))
    const steps = [refused, update("action", "Write it down"), write]
    const [first, second, own, , last] = (await bed.prompt(session, "Write it down", ...steps)).toolCalls
    expect(first?.error).toContain("task")
    expect(second?.error).toContain(".hivemind")
    expect(first?.error).not.toBe(second?.error)
    expect(`${own?.error} ${own?.output}`).toContain("task")
    expect(last?.status).toBe("completed")
    expect(existsSync(join(bed.project, "one.txt"))).toBe(true)
    const [checkpoint] = bed.state().checkpoint.values()
    expect(bed.state().task.get(checkpoint?.task_id ?? "")?.title).toBe("Write it down")
  })

  it("changes by the shell are recorded afterwards, and a command that loses data is refused", async () => {
    await using bed = await openHostBed(version, { hive: true, git: true, files })
    const session = await bed.newSession("s")
    const steps = [bed.does.run("echo more >> notes.md"), bed.does.run("rm -rf .git")]
    const { toolCalls } = await bed.prompt(session, "Make notes", update("action", "Make notes"), ...steps)
    expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "completed", "error"])
    expect(toolCalls[2]?.error).toContain("WHAT")
    const written = [...bed.state().checkpoint.values()].flatMap((each) => each.files)
    expect(written).toContain("notes.md")
  })

  it("a subagent works under the gate, on the task it was given, and its report comes back", async () => {
    await using bed = await openHostBed(version, { hive: true, pluginOptions: { governance: "strict" } })
    const session = await bed.newSession("s")
    bed.model.script({ agent: "hive-executor" }, bed.does.write("made.txt", "x"), say("It is made."))
    const { toolCalls } = await bed.prompt(
      session,
      "Have it made",
      update("action", "Make the file"),
      (request) => hive("delegate assign", { to: "hive-executor", task_id: idIn(request, "task_id") }),
      bed.does.send("hive-executor", "Make the file made.txt"),
    )
    expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "completed", "completed"])
    expect(existsSync(join(bed.project, "made.txt"))).toBe(true)
    const child = bed.model.requests.find(({ agent }) => agent === "hive-executor")
    expect(JSON.stringify(child?.body)).toContain("Make the file")
    expect(child?.tools).not.toContain("hivemind_plan")
    const returned = { status: "returned", result: expect.stringContaining("It is made") }
    await expect.poll(() => [...bed.state().delegation.values()]).toMatchObject([returned])
  })

  it("the user's words move the read-head, a decision is shown in the next session, and tokens are counted", async () => {
    await using bed = await openHostBed(version, { hive: true })
    const one = await bed.newSession("one")
    const content = "We chose Postgres over MySQL because of its partial indexes"
    const tasks = ["Build the cart", "Build the checkout"].map((title) => update("action", title))
    await bed.prompt(one, "Plan it", update("trajectory", "Shop"), ...tasks, save(content, "decision"))
    const { requests } = await bed.prompt(one, "Wait, do the cart first")
    expect(JSON.stringify(requests[0]?.body)).toContain("Build the cart")
    const two = await bed.newSession("two")
    const asked = await bed.prompt(two, "Why did we choose Postgres?")
    expect(JSON.stringify(asked.requests[0]?.body)).toContain("partial indexes")
    await expect.poll(() => existsSync(join(bed.project, ".hivemind/state/usage"))).toBe(true)
  })
})

describe.skipIf(noOpencode2 !== undefined)("OpenCode 2 alone", () => {
  it("a task is done when the agent has run its check with the host's shell, on the files as they are", async () => {
    await using bed = await openHostBed(2, { hive: true, git: true, files })
    const session = await bed.newSession("s")
    const complete = hive("task complete", { evidence: "it is there" })
    const { run, write } = bed.does
    const { toolCalls } = await bed.prompt(
      session,
      "Make it",
      hive("plan create", { title: "P", acceptance: [] }),
      (request) =>
        hive("plan plan_tasks", {
          plan_id: idIn(request, "entity_id"),
          tasks: [{ title: "Make it", expected_output: "made.txt", verify: "test -f made.txt" }],
        }),
      (request) => hive("task start", { task_id: idIn(request, "entity_id") }),
      ...[write("made.txt", "1"), complete],
      ...[run("test -f made.txt"), write("made.txt", "2"), complete],
      ...[run("test -f made.txt && echo fine"), complete],
      ...[run("test -f made.txt"), complete],
    )
    const completed = toolCalls.filter(({ tool }) => tool === "hivemind_task").slice(1)
    const succeeded = completed.map(({ output = "" }) => output.includes('"status":"success"'))
    expect(succeeded).toEqual([false, false, false, true])
    expect(completed[0]?.output).toContain("with the shell tool")
    expect([...bed.state().task.values()].find(({ title }) => title === "Make it")?.status).toBe("completed")
  })

  it("one server has two projects: each has its own hive", async () => {
    await using bed = await openHostBed(2, { hive: true })
    const elsewhere = join(bed.project, "..", "other")
    cpSync(bed.project, elsewhere, { recursive: true })
    const [here, there] = [await bed.newSession("here"), await bed.newSession("there", undefined, elsewhere)]
    bed.model.script({ session: here.id }, update("action", "Here"), save("known here", "fact"))
    bed.model.script({ session: there.id }, update("action", "There"), save("known there", "fact"))
    await Promise.all([bed.prompt(here, "Begin here"), bed.prompt(there, "Begin there")])
    const expectOnly = async (dir: string, session: { id: string }) => {
      await expect.poll(() => [...stateIn(dir).metrics.keys()]).toEqual([session.id])
      const { mem, session: sessions } = stateIn(dir)
      expect([...mem.values()].filter(({ origin }) => origin === "saved")).toHaveLength(1)
      expect([...sessions.values()].map(({ host_id }) => host_id)).toEqual([session.id])
    }
    await expectOnly(bed.project, here)
    await expectOnly(elsewhere, there)
  })

  it("a plugin that is reloaded during a session sends the same text again", async () => {
    await using bed = await openHostBed(2, { files, pluginOptions: { governance: "assisted" } })
    const session = await bed.newSession("s")
    for (const turn of [1, 2]) await busyTurn(bed, session, turn)
    const config = join(bed.project, "opencode.json")
    writeFileSync(config, readFileSync(config, "utf8").replace('"assisted"', '"strict"'))
    // Only the reloaded plugin refuses.
    const refused = async () => {
      const other = await bed.newSession("other")
      return (await bed.prompt(other, "Write", bed.does.write("x.txt", "x"))).toolCalls[0]?.status
    }
    await expect.poll(refused).toBe("error")
    for (const turn of [3, 4]) await busyTurn(bed, session, turn)
    const own = bed.model.turns().filter((request) => request.session === session.id)
    expect(new Set(prefixFigures(own).kept)).toEqual(new Set([1]))
  })

  it("no command runs without permission, unless the user's configuration allows it", async () => {
    await using bed = await openHostBed(2, { hive: true })
    const { requests, toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", hive("memory list"))
    expect(toolCalls[0]?.status).toBe("completed")
    expect(requests[0]?.tools).toContain("hivemind_task")
    expect(requests[0]?.tools).not.toContain("hivemind_shell")
    await using allowed = await openHostBed(2, { hive: true, pluginOptions: { run_commands: "allow" } })
    const run = call("hivemind_shell", { command: "echo hello" })
    const turn = await allowed.prompt(await allowed.newSession("s"), "Run it", run)
    const output = expect.stringContaining("exit 0\nhello")
    expect(turn.toolCalls[0]).toMatchObject({ status: "completed", output })
  })
})
