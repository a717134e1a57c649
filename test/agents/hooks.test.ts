import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { prefixFigures } from "../live/bed/prefix.ts"
import { calls, pause, replied, type StepSource, say } from "../live/bed/steps.ts"
import { isRunning } from "../support/is-running.ts"
import { AGENTS } from "./bed/programs.ts"
import { ofTurn, openHookedBed, sentText } from "./hooked-bed.ts"

const SUBAGENT = { claude: "general-purpose", codex: "default", gemini: "generalist" }

describe.each(AGENTS)("the real %s with HiveMind's hooks", (agent) => {
  it("is shown the state with its first request and what changed with later ones, without a tool call", async () => {
    await using bed = await openHookedBed(agent)
    await bed.hivemind("remember", "One SQLite file holds it all", "--kind", "decision")
    bed.model.script(say("Hello."))
    const first = await bed.prompt("From now on use pnpm.")
    expect(sentText(first.requests[0])).toMatch(/[<[]hivemind_state.*One SQLite file/s)
    await bed.hivemind("remember", "Errors are thrown, never returned", "--kind", "decision")
    bed.model.script(say("Hello again."))
    const second = await bed.prompt("Go on", { resume: true })
    expect(sentText(second.requests[0])).toMatch(/[<[]hivemind_delta.*Errors are thrown/s)
    expect(bed.state().mem.size).toBeGreaterThanOrEqual(3)
  })

  it("never changes an earlier part of the prompt, over twelve turns that each run in a new process", async ({
    skip,
  }) => {
    if (agent === "gemini") skip("Gemini CLI itself rebuilds its history when it resumes: see prefix.test.ts")
    await using bed = await openHookedBed(agent, { files: { ".gitignore": "*.txt\n" } })
    for (let turn = 0; turn < 12; turn++) {
      bed.model.script(
        bed.does.hive("memory save", { content: `Decision ${turn} is made`, kind: "decision" }),
        calls(bed.does.run(`echo ${turn} > ${turn}.txt`)),
        bed.does.write(`b${turn}.txt`, "b"),
        say("Done."),
      )
      await bed.prompt(`Turn ${turn}, please: do what is next`, { resume: turn > 0 })
    }
    const requests = ofTurn(bed.model.requests)
    expect(requests).toHaveLength(48)
    const lost = prefixFigures(requests).kept.flatMap((share, n) => (share === 1 ? [] : [[n + 1, share]]))
    expect(lost).toEqual([])
    expect(sentText(requests.at(-1))).toContain("Decision 10 is made")
  }, 600_000)

  it("is shown the reason if a call is refused, and the file is not touched", async () => {
    await using bed = await openHookedBed(agent)
    bed.model.script(bed.does.run("echo x > .hivemind/graph/x; git push --force"), say("I see."))
    const { requests } = await bed.prompt("Clean up")
    expect(requests[1]?.toolOutputs.join()).toMatch(/WHAT: .*may not write to .hivemind.*USE INSTEAD: /s)
    expect(existsSync(join(bed.project, ".hivemind", "graph", "x"))).toBe(false)
  })

  it("is told which of the user's files a script deleted, and restore brings them back", async () => {
    await using bed = await openHookedBed(agent, {
      files: { "tidy.sh": "rm -f *.txt\n", ".gitignore": "secret.txt\n" },
    })
    writeFileSync(join(bed.project, "mine.txt"), "three days of work")
    writeFileSync(join(bed.project, "secret.txt"), "only here")
    bed.model.script(bed.does.run("sh tidy.sh"), say("Tidied."))
    const { requests } = await bed.prompt("Tidy up")
    expect(existsSync(join(bed.project, "mine.txt"))).toBe(false)
    const [, id] = /hivemind restore (S\d+)/.exec(sentText(requests[1])) ?? []
    expect(sentText(requests[1])).toMatch(/deleted mine\.txt, secret\.txt/)
    expect((await bed.hivemind("restore", id ?? "none", "--yes")).code).toBe(0)
    expect(readFileSync(join(bed.project, "mine.txt"), "utf8")).toBe("three days of work")
    expect(readFileSync(join(bed.project, "secret.txt"), "utf8")).toBe("only here")
  })

  it("completes a task only with evidence: a check that passed on the files as they are", async () => {
    await using bed = await openHookedBed(agent, {
      files: { "package.json": '{"scripts":{"test":"test -f done.js"}}\n' },
    })
    const { hive, run, write } = bed.does
    const complete: StepSource = hive("task complete", { evidence: "it works" })
    bed.model.script(
      hive("plan create", { title: "P", acceptance: [] }),
      (request) =>
        hive("plan plan_tasks", {
          plan_id: replied(request).entity_id,
          tasks: [{ title: "Write done.js", expected_output: "done.js", verify: "npm test" }],
        }),
      (request) => hive("task start", { task_id: replied(request).tasks[0].entity_id }),
      complete,
      write("done.js", "1\n"),
      run("npm test"),
      complete,
      say("Done."),
    )
    const { requests } = await bed.prompt("Write done.js")
    expect(requests[4]?.toolOutputs.join()).toMatch(/error/)
    expect(requests[7]?.toolOutputs.join()).toMatch(/success/)
    const [task] = [...bed.state().task.values()].filter(({ title }) => title === "Write done.js")
    expect(task).toMatchObject({ status: "completed", evidence: expect.stringContaining("it works") })
    const did = [...bed.state().checkpoint.values()].filter(({ task_id }) => task_id === task?.id)
    expect(did.flatMap(({ files }) => files)).toContain("done.js")
  })

  it("limits a subagent to the task that was delegated to it", async () => {
    await using bed = await openHookedBed(agent)
    const { hive, send, wait, report, write, run } = bed.does
    bed.model.script(
      hive("plan create", { title: "P", acceptance: [] }),
      (request) =>
        hive("plan plan_tasks", {
          plan_id: replied(request).entity_id,
          tasks: [{ title: "Look around", expected_output: "a report" }],
        }),
      (request) =>
        hive("delegate assign", {
          task_id: replied(request).tasks[0].entity_id,
          to: SUBAGENT[agent],
          allowed_tools: ["read"],
        }),
      (request) => send(replied(request).handover),
      ...(wait === undefined ? [] : [wait]),
      say("All is back."),
    )
    bed.model.script(
      { kind: "subagent" },
      write("forbidden.txt", "x"),
      run("rm -rf src"),
      report("I could only look."),
    )
    await bed.prompt("Have somebody look around")
    const asked = bed.model.requests.filter(({ kind }) => kind === "subagent")
    expect(sentText(asked[0])).toContain("Look around")
    expect(asked[1]?.toolOutputs.join()).toMatch(/WHAT: /)
    expect(existsSync(join(bed.project, "forbidden.txt"))).toBe(false)
    const [delegation] = [...bed.state().delegation.values()]
    expect(delegation).toMatchObject({ status: "returned", result: expect.stringContaining("only look") })
  })

  it("continues, still with the gate, if HiveMind's server is killed in the middle of a turn", async () => {
    await using bed = await openHookedBed(agent)
    const held = pause()
    bed.model.script(
      { ...bed.does.run("echo one > one.txt"), pause: held },
      bed.does.run("git push --force"),
      bed.does.run("echo two > two.txt"),
      say("Done."),
    )
    const { child, done } = bed.start("Go")
    await held.reached
    const servers = descendants(child.pid ?? 0).filter((each) => /mcp --agent/.test(each.command))
    expect(servers).toHaveLength(1)
    for (const { pid } of servers) process.kill(pid, "SIGKILL")
    held.release()
    const { requests, ...ended } = await done
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") })
    expect(requests[2]?.toolOutputs.join()).toMatch(/WHAT: .*was not run/)
    expect(existsSync(join(bed.project, "two.txt"))).toBe(true)
  })

  it("continues if HiveMind's server hangs", async () => {
    await using bed = await openHookedBed(agent)
    const held = pause()
    bed.model.script({ ...bed.does.run("echo one > one.txt"), pause: held }, say("Done."))
    const { child, done } = bed.start("Go")
    await held.reached
    const [server] = descendants(child.pid ?? 0).filter((each) => /mcp --agent/.test(each.command))
    const serverPid = server?.pid ?? 0
    process.kill(serverPid, "SIGSTOP")
    // A stopped process outlives its agent.
    onTestFinished(() => {
      if (isRunning(serverPid)) process.kill(serverPid, "SIGKILL")
    })
    held.release()
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") })
    expect(existsSync(join(bed.project, "one.txt"))).toBe(true)
  })
})

function descendants(pid: number): { pid: number; command: string }[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  const all = [...listed.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, own, parent, command = ""]) => ({
    ...{ pid: Number(own), parent: Number(parent), command },
  }))
  const found = new Set([pid])
  for (const above of found) for (const each of all) if (each.parent === above) found.add(each.pid)
  // A process that is being started still has the command of its parent for a moment.
  const isStarting = ({ parent, command }: (typeof all)[number]) =>
    all.some((other) => other.pid === parent && other.command === command)
  return all.filter((each) => found.has(each.pid) && !isStarting(each))
}
