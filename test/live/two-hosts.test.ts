import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { trials } from "../support/effort.ts"
import { busyTurn } from "./bed/busy-session.ts"
import { HOSTS, openHostBed } from "./bed/host-bed.ts"
import { noOpencode2 } from "./bed/opencode2.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, calls, hive, say, update } from "./bed/steps.ts"

const files = { "notes.md": "Some notes.\n".repeat(20) }

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
    bed.model.script(
      calls(
        bed.does.write("one.txt", "1"),
        bed.does.write(".hivemind/graph/x.json", "{}"),
        hive("task complete", { evidence: "x" }),
      ),
      update("action", "Write it down"),
      bed.does.write("one.txt", "1"),
      say("Written."),
    )
    const { toolCalls } = await bed.prompt(session, "Write it down")
    const [first, ownFile, own, , last] = toolCalls
    expect(first?.error).toContain("task")
    expect(ownFile?.error).toContain(".hivemind")
    expect(first?.error).not.toBe(ownFile?.error)
    expect(`${own?.error} ${own?.output}`).toContain("task")
    expect(last?.status).toBe("completed")
    expect(existsSync(join(bed.project, "one.txt"))).toBe(true)
    const [checkpoint] = [...bed.state().checkpoint.values()].filter((each) => each.files.includes("one.txt"))
    expect(bed.state().task.get(checkpoint?.task_id ?? "")?.title).toBe("Write it down")
  })

  it("changes by the shell are recorded afterwards, and a command that loses data is refused", async () => {
    await using bed = await openHostBed(version, { hive: true, git: true, files })
    const session = await bed.newSession("s")
    bed.model.script(
      update("action", "Make notes"),
      bed.does.run("echo more >> notes.md"),
      bed.does.run("rm -rf .git"),
      say("Done."),
    )
    const { toolCalls } = await bed.prompt(session, "Make notes")
    expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "completed", "error"])
    expect(toolCalls[2]?.error).toContain("WHAT")
    const written = [...bed.state().checkpoint.values()].flatMap((each) => each.files)
    expect(written).toContain("notes.md")
  })

  it("a subagent works under the gate, on the task it was given, and its report comes back", async () => {
    await using bed = await openHostBed(version, { hive: true, pluginOptions: { governance: "strict" } })
    const session = await bed.newSession("s")
    bed.model.script({ agent: "hive-executor" }, bed.does.write("made.txt", "x"), say("It is made."))
    bed.model.script(
      { session: session.id },
      update("action", "Make the file"),
      (request) =>
        hive("delegate assign", {
          to: "hive-executor",
          task_id: /"task_id":"([^"]+)"/.exec(request.toolOutputs[0] ?? "")?.[1],
        }),
      bed.does.send("hive-executor", "Make the file made.txt"),
      say("All done."),
    )
    const { toolCalls } = await bed.prompt(session, "Have it made")
    expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "completed", "completed"])
    expect(existsSync(join(bed.project, "made.txt"))).toBe(true)
    const child = bed.model.requests.find(({ agent }) => agent === "hive-executor")
    expect(JSON.stringify(child?.body)).toContain("Make the file")
    expect(child?.tools).not.toContain("hivemind_plan")
    await expect.poll(() => [...bed.state().delegation.values()][0]).toMatchObject({ status: "returned" })
    expect([...bed.state().delegation.values()][0]?.result).toContain("It is made")
  })

  it("the user's words move the read-head, and a decision is shown in the next session", async () => {
    await using bed = await openHostBed(version, { hive: true })
    const one = await bed.newSession("one")
    const content = "We chose Postgres over MySQL because of its partial indexes"
    bed.model.script(
      update("trajectory", "Shop"),
      update("action", "Build the cart"),
      update("action", "Build the checkout"),
      hive("memory save", { content, kind: "decision" }),
      say("Saved."),
    )
    await bed.prompt(one, "Plan it")
    const { requests } = await bed.prompt(one, "Wait, do the cart first")
    expect(JSON.stringify(requests[0]?.body)).toContain("Build the cart")
    const two = await bed.newSession("two")
    const asked = await bed.prompt(two, "Why did we choose Postgres?")
    expect(JSON.stringify(asked.requests[0]?.body)).toContain("partial indexes")
  })

  it("tokens are counted, and a session has its agents and commands", async () => {
    await using bed = await openHostBed(version, { hive: true })
    const session = await bed.newSession("s")
    bed.model.script(update("action", "Count"), say("Done.", { usage: { input: 5000, output: 100 } }))
    await bed.prompt(session, "Count")
    const usage = join(bed.project, ".hivemind", "state", "usage")
    await expect.poll(() => existsSync(usage)).toBe(true)
  })
})

describe.skipIf(noOpencode2 !== undefined)("OpenCode 2 alone", () => {
  it("a task is done when the agent has run its check with the host's shell, on the files as they are", async () => {
    await using bed = await openHostBed(2, { hive: true, git: true, files })
    const session = await bed.newSession("s")
    const complete = hive("task complete", { evidence: "it is there" })
    const plan = hive("plan create", { title: "P", acceptance: [] })
    const idIn = (text = "", name = "entity_id") => new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]
    bed.model.script(
      plan,
      ({ toolOutputs: [made] }) =>
        hive("plan plan_tasks", {
          plan_id: idIn(made),
          tasks: [{ title: "Make it", expected_output: "made.txt", verify: "test -f made.txt" }],
        }),
      ({ toolOutputs: [made] }) => hive("task start", { task_id: idIn(made) }),
      bed.does.write("made.txt", "1"),
      complete,
      bed.does.run("test -f made.txt"),
      bed.does.write("made.txt", "2"),
      complete,
      bed.does.run("test -f made.txt && echo fine"),
      complete,
      bed.does.run("test -f made.txt"),
      complete,
      say("Done."),
    )
    const { toolCalls } = await bed.prompt(session, "Make it")
    const completed = toolCalls.filter(({ tool }) => tool === "hivemind_task").slice(1)
    expect(completed.map(({ output = "" }) => output.includes('"status":"success"'))).toEqual([
      false,
      false,
      false,
      true,
    ])
    expect(completed[0]?.output).toContain("with the shell tool")
    expect([...bed.state().task.values()].find(({ title }) => title === "Make it")?.status).toBe("completed")
  })

  it("one server has two projects: each has its own hive", async () => {
    await using bed = await openHostBed(2, { hive: true })
    const elsewhere = join(bed.project, "..", "other")
    cpSync(bed.project, elsewhere, { recursive: true })
    const [here, there] = [await bed.newSession("here"), await bed.newSession("there", undefined, elsewhere)]
    const saves = (content: string) => hive("memory save", { content, kind: "fact" })
    bed.model.script({ session: here.id }, update("action", "Here"), saves("known here"), say("ok"))
    bed.model.script({ session: there.id }, update("action", "There"), saves("known there"), say("ok"))
    await Promise.all([bed.prompt(here, "Begin here"), bed.prompt(there, "Begin there")])
    const known = (dir: string) => openFileStore(dir, { source: systemSource }).read().state
    for (const [dir, own, other] of [
      [bed.project, here.id, there.id],
      [elsewhere, there.id, here.id],
    ] as const) {
      await expect.poll(() => known(dir).metrics.has(own)).toBe(true)
      expect(known(dir).metrics.has(other)).toBe(false)
      expect([...known(dir).mem.values()].filter(({ origin }) => origin === "saved")).toHaveLength(1)
      expect([...known(dir).session.values()].map(({ host_id }) => host_id)).toEqual([own])
    }
  })

  it("a plugin that is reloaded during a session sends the same text again", async () => {
    await using bed = await openHostBed(2, { files, pluginOptions: { governance: "assisted" } })
    const session = await bed.newSession("s")
    for (const turn of [1, 2]) await busyTurn(bed, session, turn)
    const config = join(bed.project, "opencode.json")
    writeFileSync(config, readFileSync(config, "utf8").replace('"assisted"', '"strict"'))
    // A refusal tells that it was loaded anew.
    const refused = async () => {
      const other = await bed.newSession("other")
      bed.model.script({ session: other.id }, bed.does.write("x.txt", "x"), say("ok"))
      return (await bed.prompt(other, "Write")).toolCalls[0]?.status
    }
    await expect.poll(refused).toBe("error")
    for (const turn of [3, 4]) await busyTurn(bed, session, turn)
    const own = bed.model.turns().filter((request) => request.session === session.id)
    expect(new Set(prefixFigures(own).kept)).toEqual(new Set([1]))
  })

  it("no command runs without permission, unless the user's configuration allows it", async () => {
    {
      await using bed = await openHostBed(2, { hive: true })
      const session = await bed.newSession("s")
      bed.model.script(hive("memory list"), say("Nothing."))
      const { requests, toolCalls } = await bed.prompt(session, "What is known?")
      expect(toolCalls[0]?.status).toBe("completed")
      expect(requests[0]?.tools).toContain("hivemind_task")
      expect(requests[0]?.tools).not.toContain("hivemind_shell")
    }
    await using allowed = await openHostBed(2, { hive: true, pluginOptions: { run_commands: "allow" } })
    const other = await allowed.newSession("s")
    allowed.model.script(call("hivemind_shell", { command: "echo hello" }), say("Done."))
    const { toolCalls } = await allowed.prompt(other, "Run it")
    expect(toolCalls[0]).toMatchObject({
      status: "completed",
      output: expect.stringContaining("exit 0\nhello"),
    })
  })
})
