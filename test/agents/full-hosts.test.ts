import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { say } from "../live/bed/steps.ts"
import { type AgentBed, openAgentBed } from "./bed/bed.ts"
import { AGENTS } from "./bed/programs.ts"
import { STATE, sent } from "./bed/sent.ts"

describe.each(AGENTS)("%s", (agent) => {
  it("shows the state without a tool call, refuses with our text, and brings back what a script deleted", async () => {
    await using bed = await openAgentBed(agent, { hive: true, files: { "tidy.mjs": TIDY } })
    writeFileSync(join(bed.project, "mine.txt"), "the user's own")
    bed.model.script(bed.does.run("node tidy.mjs"), bed.does.run("git push --force"), say("Tidied."))
    const { requests, code } = await bed.prompt("From now on use pnpm. Tidy up.")
    expect(code).toBe(0)
    expect(sent(requests[0])).toMatch(STATE)
    expect(sent(requests[0])).toContain("use pnpm")
    expect(sent(requests[1])).toMatch(/deleted mine\.txt.*hivemind restore S\d/)
    expect(requests[2]?.toolOutputs.at(-1)).toMatch(/WHAT: .* was not run/)
    expect(existsSync(join(bed.project, "mine.txt"))).toBe(false)

    const [, snapshot = ""] = /hivemind restore (S\d+)/.exec(sent(requests[1])) ?? []
    const restored = await bed.hivemind("restore", snapshot, "--yes")
    expect(restored.stderr).toBe("")
    expect(readFileSync(join(bed.project, "mine.txt"), "utf8")).toBe("the user's own")

    bed.model.script(say("Nothing else."))
    const later = await bed.prompt("Thanks, what is left?", { resume: true })
    expect(sent(later.requests[0])).toMatch(/[<[]hivemind_(state|delta)/)
    expect(await pluginErrors(bed)).toEqual([])
  })

  it("a task is done when the agent has run its check, and by the exit code of that check", async () => {
    await using bed = await openAgentBed(agent, { hive: true })
    const { hive, run, write } = bed.does
    const complete = hive("task complete", { evidence: "it is there" })
    bed.model.script(
      hive("plan create", { title: "P", acceptance: [] }),
      ({ toolOutputs }) =>
        hive("plan plan_tasks", {
          plan_id: idIn(toolOutputs),
          tasks: [{ title: "Make it", expected_output: "made.txt", verify: "test -f made.txt" }],
        }),
      ({ toolOutputs }) => hive("task start", { task_id: idIn(toolOutputs) }),
      run("test -f made.txt"),
      complete,
      write("made.txt", "1"),
      run("test -f made.txt"),
      complete,
      say("Done."),
    )
    const { requests } = await bed.prompt("Make it")
    const task = () => [...bed.state().task.values()].find(({ title }) => title === "Make it")
    expect(requests[5]?.toolOutputs.at(-1)).not.toContain('"status":"success"')
    expect(requests[8]?.toolOutputs.at(-1)).toContain('"status":"success"')
    expect(task()?.status).toBe("completed")
    const written = [...bed.state().checkpoint.values()].flatMap(({ files }) => files)
    expect(written).toContain("made.txt")
  })

  it("a subagent is held to the task it was given, and its report comes back", async () => {
    await using bed = await openAgentBed(agent, { hive: true })
    const { hive, run, send } = bed.does
    bed.model.script(
      { kind: "subagent" },
      run("echo x > made.txt"),
      run("git push --force"),
      bed.does.report("It is made."),
    )
    bed.model.script(
      hive("session update", { level: "action", content: "Make the file made.txt" }),
      ({ toolOutputs }) =>
        hive("delegate assign", { to: SUBAGENT[agent], task_id: idIn(toolOutputs, "task_id") }),
      send("Make the file made.txt"),
      ...(bed.does.wait === undefined ? [] : [bed.does.wait]),
      say("All done."),
    )
    await bed.prompt("Have it made")
    const ofChild = bed.model.requests.filter(({ kind }) => kind === "subagent")
    expect(ofChild.map(sent).join()).toMatch(/WHAT: .* was not run/)
    const given = [...bed.state().delegation.values()]
    expect(given).toMatchObject([{ status: "returned" }])
    expect(given[0]?.result).toContain("It is made")
    const made = [...bed.state().checkpoint.values()].find(({ files }) => files.includes("made.txt"))
    expect(bed.state().task.get(made?.task_id ?? "")?.title).toBe("Make the file made.txt")
  })
})

const TIDY = "import { rmSync } from 'node:fs'\nrmSync('mine.txt')\n"
const SUBAGENT = { claude: "general-purpose", codex: "default", gemini: "generalist" }

const idIn = ([text = ""]: readonly string[], name = "entity_id") =>
  new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]

async function pluginErrors({ project }: AgentBed): Promise<string[]> {
  const folder = join(project, ".hivemind", "system", "log")
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
  return files.flatMap((text) => text.split("\n").filter((line) => line.includes(" error ")))
}
