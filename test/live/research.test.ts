import { expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { calls, hive, pause, save, say, update } from "./bed/steps.ts"

const asks = (letter: string) => hive("delegate research", { question: `What is ${letter}?` })
const saves = (name: string, from: number, count: number) =>
  calls(...Array.from({ length: count }, (_, n) => save(`${name} finding ${from + n}`, "fact")))
const askedFor = (letter: string) => ({
  agent: "hive-investigator",
  match: ({ body }: { body: unknown }) => JSON.stringify(body).includes(`Question: What is ${letter}?`),
})

it("three researchers and their caller write 60 mems at once, each with its task; a fourth is refused", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("research")
  // None is answered before all four have asked. Any of them may be refused, as they are called at once.
  const asked = pause()
  for (const letter of ["A", "B", "C", "D"])
    bed.model.script(
      askedFor(letter),
      { ...saves(letter, 0, 5), pause: asked },
      saves(letter, 5, 5),
      say(`${letter} is known now.`),
    )
  const { toolCalls } = await bed.prompt(
    session,
    "Find it all out",
    update("action", "Ask around"),
    calls(asks("A"), asks("B"), asks("C"), asks("D")),
    () => {
      asked.release()
      return saves("main", 0, 10)
    },
    saves("main", 10, 10),
    saves("main", 20, 10),
  )
  const started = toolCalls.filter(({ tool }) => tool === "hivemind_delegate")
  expect(started.map(({ status }) => status).sort()).toEqual(["completed", "completed", "completed", "error"])
  expect(started.find(({ status }) => status === "error")?.error).toContain(
    "3 researchers are at work; at most 3",
  )
  const statuses = () => bed.all("delegation").map(({ status }) => status)
  await expect.poll(statuses).toEqual(Array(3).fill("returned"))
  const { task, delegation, plan } = bed.state()
  // Without the answers, which become mems by rule.
  const mems = bed.all("mem").filter(({ origin }) => origin === "saved")
  expect(mems).toHaveLength(60)
  const count = (first: string, title: string) =>
    mems.filter(
      ({ content, origin_task_id }) =>
        content[0] === first && task.get(origin_task_id ?? "")?.title === title,
    ).length
  const found = ["A", "B", "C", "D"].map((letter) => count(letter, `Find out: What is ${letter}?`))
  expect(found.sort()).toEqual([0, 10, 10, 10])
  expect(count("m", "Ask around")).toBe(30)
  // Their work is marked as research, and over with their answer.
  for (const { task_id, result } of delegation.values())
    expect(task.get(task_id)).toMatchObject({ purpose: "research", status: "completed", evidence: result })
  expect(plan.size).toBe(1)
})

it("a researcher that uses too many tokens is stopped and says so, and creates no plan of the user", async () => {
  await using bed = await openBed({ hive: true, pluginOptions: { research: { tokens: 5000 } } })
  const session = await bed.newSession("research")
  bed.model.script(askedFor("A"), hive("memory list", {}, { usage: { input: 6000, output: 10 } }))
  await bed.prompt(session, "Find it out", asks("A"))
  await expect.poll(() => endings(bed)).toEqual(["failed stopped: the researcher took 6010 tokens of 5000"])
  expect(bed.all("task")).toMatchObject([{ status: "failed", purpose: "research" }])
  expect(bed.all("plan")).toMatchObject([{ purpose: "research" }])
  const { toolCalls } = await bed.prompt(session, "How did it go?", hive("delegate status"))
  expect(toolCalls[0]?.output).toContain("stopped: the researcher took 6010 tokens of 5000")
})

it("a researcher that was running when OpenCode was killed is closed as lost at the next start", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("research")
  const held = pause()
  bed.model.script(askedFor("A"), say("thinking", { pause: held }))
  await bed.prompt(session, "Find it out", asks("A"))
  await held.reached
  await expect.poll(() => endings(bed)).toEqual(["running null"])
  await bed.kill()
  held.release()
  await bed.restart()
  await bed.prompt(session, "Go on")
  await expect
    .poll(() => endings(bed))
    .toEqual(["failed lost: OpenCode ended while the researcher was at work"])
  expect(bed.all("task")).toMatchObject([{ status: "failed" }])
})

function endings(bed: Bed): string[] {
  return bed.all("delegation").map(({ status, reason }) => `${status} ${reason}`)
}
