import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { wordsOf } from "../views/session-file/session-with-file.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { bash, hive, replied, save, update, write } from "./bed/steps.ts"

it("a session's file tells its work, keeps an outside edit, and comes back when it is lost", async () => {
  await using bed = await openBed({ git: true, files: { "a.txt": "a\n" } })
  const session = await bed.newSession("s")
  let stamp = ""
  const commit = "git -c user.name=bed -c user.email=bed@localhost commit"
  await bed.prompt(
    session,
    "Build the form",
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
    write("form.txt", "form\n"),
    () => bash(`git add form.txt && ${commit} -m "[${stamp}] the form"`),
    hive("task complete", { evidence: "form.txt is there" }),
  )
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

  // A person edits the notes.
  const edited = file().replace("## Notes\n", "## Notes\n\nAsk Ann about the colours.\n")
  writeFileSync(path(bed, `${stamp}.md`), edited)
  await bed.prompt(session, "Note where it posts to", save("The form posts to /login"))
  await soon(() => wordsOf(file()).slice(-2)).toEqual([
    "learned: The form posts to /login",
    expect.stringContaining("found an outside edit"),
  ])
  expect(file().startsWith(edited)).toBe(true)
  await soon(() => bed.pluginLog()).toContain(`${stamp}.md was edited outside`)

  await bed.summarize(session)
  await soon(() => wordsOf(file()).at(-1)).toBe("compacted")
  expect(file()).toContain("Ask Ann about the colours.")

  // A file that is lost comes back at the end of the next turn, also in another process.
  const before = wordsOf(file())
  await bed.stop()
  rmSync(path(bed, `${stamp}.md`))
  await bed.restart()
  await bed.prompt(session, "Close it", hive("session close", { summary: "All done" }))
  await soon(() => wordsOf(read(bed, `archive/${stamp}.md`)).slice(0, before.length)).toEqual(before)
  expect(wordsOf(read(bed, `archive/${stamp}.md`)).at(-1)).toBe("the session was closed: All done")
  expect(bed.printed()).toBe("")
})

it("a command of the host is counted, and tied to the task at hand", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  await bed.prompt(session, "Begin", update("action", "Build the form"))
  await bed.command(session, "hive", "and be brief")
  await soon(() => bed.state().metrics.get(session.id)?.counts["commands"]).toBe(1)
  const [task] = bed.all("task")
  const counted = { tool: "command", summary: "/hive and be brief", task_id: task?.id }
  expect(bed.all("checkpoint")).toMatchObject([counted])
})

const soon = <T>(look: () => T) => expect.poll(look)
const path = (bed: Bed, name: string): string => join(bed.project, ".hivemind", "sessions", name)

function read(bed: Bed, name: string): string {
  return files(bed).includes(name) ? readFileSync(path(bed, name), "utf8") : ""
}

const files = (bed: Bed): string[] => readdirSync(path(bed, "."), { recursive: true, encoding: "utf8" })
