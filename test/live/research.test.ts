import { expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { calls, hive, pause, save, say, update } from "./bed/steps.ts"

const asks = (letter: string) => hive("delegate research", { question: `What is ${letter}?` })
const saves = (name: string, from: number, count: number) =>
  calls(...Array.from({ length: count }, (_, n) => save(`${name} finding ${from + n}`, "fact")))
/** The requests of the researcher that was asked that. */
const askedFor = (letter: string) => ({
  agent: "hive-investigator",
  match: ({ body }: { body: unknown }) => JSON.stringify(body).includes(`Question: What is ${letter}?`),
})

it("three researchers and their caller write 60 mems at once, each with its task; a fourth is refused", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("research")
  // None has an answer before all four were asked for. Which of them is refused is not said: they are called at once.
  const asked = pause()
  for (const letter of ["A", "B", "C", "D"])
    bed.model.script(
      askedFor(letter),
      { ...saves(letter, 0, 5), pause: asked },
      saves(letter, 5, 5),
      say(`${letter} is known now.`),
    )
  bed.model.script(
    { session: session.id },
    update("action", "Ask around"),
    calls(asks("A"), asks("B"), asks("C"), asks("D")),
    () => {
      asked.release()
      return saves("main", 0, 10)
    },
    saves("main", 10, 10),
    saves("main", 20, 10),
    say("Asked and noted."),
  )
  const { toolCalls } = await bed.prompt(session, "Find it all out")
  const started = toolCalls.filter(({ tool }) => tool === "hivemind_delegate")
  expect(started.map(({ status }) => status).sort()).toEqual(["completed", "completed", "completed", "error"])
  expect(started.find(({ status }) => status === "error")?.error).toContain("3 of 3 are at work")
  await expect
    .poll(() => [...bed.state().delegation.values()].map(({ status }) => status))
    .toEqual(Array(3).fill("returned"))
  const { task, delegation, plan, ...rest } = bed.state()
  // What a question was answered with becomes a mem, too, by rule.
  const mems = [...rest.mem.values()].filter(({ origin }) => origin === "saved")
  expect(mems).toHaveLength(60)
  const titles = mems.map(({ content, origin_task_id }) => [
    content[0],
    task.get(origin_task_id ?? "")?.title,
  ])
  const count = (first: string, title: string) => titles.filter(([a, b]) => a === first && b === title).length
  const found = ["A", "B", "C", "D"].map((letter) => count(letter, `Find out: What is ${letter}?`))
  expect(found.sort()).toEqual([0, 10, 10, 10])
  expect(count("m", "Ask around")).toBe(30)
  // Their work is marked as research, and over with their answer.
  for (const { task_id, result } of delegation.values())
    expect(task.get(task_id)).toMatchObject({ purpose: "research", status: "completed", evidence: result })
  expect(plan.size).toBe(1)
})

it("one that takes too many tokens is stopped and says so; without a plan at hand none of the user's is made up", async () => {
  await using bed = await openBed({ hive: true, pluginOptions: { research: { tokens: 5000 } } })
  const session = await bed.newSession("research")
  bed.model.script(
    askedFor("A"),
    hive("memory list", {}, { usage: { input: 6000, output: 10 } }),
    say("more"),
  )
  bed.model.script({ session: session.id }, asks("A"), say("Asked."))
  await bed.prompt(session, "Find it out")
  await expect.poll(() => endings(bed)).toEqual(["failed stopped: it took 6010 tokens of 5000"])
  const { task, plan } = bed.state()
  expect([...task.values()].map(({ status, purpose }) => `${status} ${purpose}`)).toEqual(["failed research"])
  expect([...plan.values()].map(({ purpose }) => purpose)).toEqual(["research"])
  bed.model.script({ session: session.id }, hive("delegate status"), say("ok"))
  const { toolCalls } = await bed.prompt(session, "How did it go?")
  expect(toolCalls[0]?.output).toContain("stopped: it took 6010 tokens of 5000")
})

it("one that was at work when OpenCode was killed is closed as lost at the next start", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("research")
  const held = pause()
  bed.model.script(askedFor("A"), say("thinking", { pause: held }))
  bed.model.script({ session: session.id }, asks("A"), say("Asked."))
  await bed.prompt(session, "Find it out")
  await held.reached
  await expect
    .poll(() => [...bed.state().delegation.values()].map(({ status }) => status))
    .toEqual(["running"])
  await bed.kill()
  held.release()
  await bed.restart()
  bed.model.script({ session: session.id }, say("ok"))
  await bed.prompt(session, "Go on")
  await expect
    .poll(() => [...bed.state().delegation.values()].map(({ status, reason }) => `${status} ${reason}`))
    .toEqual(["failed lost: OpenCode ended while it was at work"])
  expect([...bed.state().task.values()].map(({ status }) => status)).toEqual(["failed"])
})

function endings(bed: Bed): string[] {
  return [...bed.state().delegation.values()].map(({ status, reason }) => `${status} ${reason}`)
}
