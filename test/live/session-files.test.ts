import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { cli } from "../cli/harness.ts"
import { wordsOf } from "../views/session-file/session-with-file.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, hive, replied, save, say, update } from "./bed/steps.ts"

it("a session's file tells its work, keeps an outside edit, and a stamp finds it all", async () => {
  await using bed = await openBed({ git: true, files: { "a.txt": "a\n" } })
  const session = await bed.newSession("s")
  let stamp = ""
  bed.model.script(
    hive("session start", { intent: "Add a login page" }),
    (request) => {
      stamp = replied(request).stamp
      return hive("plan create", { title: "Login", acceptance: ["it works"] })
    },
    (request) =>
      hive("plan plan_tasks", {
        plan_id: replied(request).entity_id,
        tasks: [
          { title: "Build the form", expected_output: "form.txt" },
          { title: "Test the form", expected_output: "form.test.txt" },
        ],
      }),
    (request) => hive("task start", { task_id: replied(request).tasks[0].entity_id }),
    call("write", { filePath: join(bed.project, "form.txt"), content: "form\n" }),
    () =>
      call("bash", {
        command: `git add form.txt && git -c user.name=bed -c user.email=bed@localhost commit -m "[${stamp}] the form"`,
        description: "commit",
      }),
    hive("task complete", { evidence: "form.txt is there" }),
    say("Built."),
  )
  await bed.prompt(session, "Build the form")
  const file = () => read(bed, `${stamp}.md`)
  await soon(() => wordsOf(file()).at(-1)).toBe("finished “Build the form”")
  expect(wordsOf(file()).slice(0, 4)).toEqual([
    "a session began: Add a login page",
    "made the plan “Login”",
    expect.stringContaining("Build the form"),
    "started “Build the form”",
  ])
  expect(file()).toContain(`[${stamp}] the form`)
  expect(file()).toContain(`session: ${session.id}`)

  // Somebody writes into the notes and saves.
  const edited = file().replace("## Notes\n", "## Notes\n\nAsk Ann about the colours.\n")
  writeFileSync(path(bed, `${stamp}.md`), edited)
  bed.model.script(save("The form posts to /login"), say("Noted."))
  await bed.prompt(session, "Note where it posts to")
  await soon(() => wordsOf(file()).slice(-2)).toEqual([
    "learned: The form posts to /login",
    expect.stringContaining("found an outside edit"),
  ])
  expect(file().startsWith(edited)).toBe(true)
  await soon(() => bed.pluginLog()).toContain(`${stamp}.md was edited outside`)

  await bed.summarize(session)
  await soon(() => wordsOf(file()).at(-1)).toBe("compacted")
  expect(file()).toContain("Ask Ann about the colours.")

  const { stdout } = await cli({ root: "", home: bed.project, project: bed.project }, ["log", "trace", stamp])
  for (const part of [
    /graph +session .*"Add a login page" \(active\)/,
    /log +entry .*finished “Build the form”/,
    new RegExp(`file +sessions/${stamp}\\.md:2 `),
    new RegExp(`git +commit .*\\[${stamp}\\] the form`),
  ])
    expect(stdout).toMatch(part)

  // A file that is lost comes back at the end of the next turn, also in another process.
  const before = wordsOf(file())
  await bed.stop()
  rmSync(path(bed, `${stamp}.md`))
  await bed.restart()
  bed.model.script(hive("session close", { summary: "All done" }), say("Closed."))
  await bed.prompt(session, "Close it")
  await soon(() => wordsOf(read(bed, `archive/${stamp}.md`)).slice(0, before.length)).toEqual(before)
  expect(wordsOf(read(bed, `archive/${stamp}.md`)).at(-1)).toBe("the session was closed: All done")
  expect(bed.printed()).toBe("")
})

it("a command of the host is counted, and tied to the task at hand", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  bed.model.script(update("action", "Build the form"), say("Begun."))
  await bed.prompt(session, "Begin")
  bed.model.script(say("Here is where we stand."))
  await bed.client.session.command({
    path: { id: session.id },
    body: { command: "hive", arguments: "and be brief" },
  })
  const state = () => bed.state()
  await soon(() => state().metrics.get(session.id)?.counts["commands"]).toBe(1)
  expect([...state().checkpoint.values()]).toMatchObject([
    { tool: "command", summary: "/hive and be brief", task_id: [...state().task.keys()][0] },
  ])
})

/** Files are written after the turn. */
function soon<T>(look: () => T) {
  return expect.poll(look)
}

function path(bed: Bed, name: string): string {
  return join(bed.project, ".hivemind", "sessions", name)
}

/** Empty where there is none yet. */
function read(bed: Bed, name: string): string {
  return files(bed).includes(name) ? readFileSync(path(bed, name), "utf8") : ""
}

function files(bed: Bed): string[] {
  return readdirSync(path(bed, "."), { recursive: true, encoding: "utf8" })
}
