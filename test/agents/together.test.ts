import { expect, it } from "vitest"
import { openBed } from "../live/bed/bed.ts"
import { call, calls, say } from "../live/bed/steps.ts"
import { openHookedBed, sentText } from "./hooked-bed.ts"

const WRITES = 50
const STEPS = 10

it("a rule said once in one agent is followed in the next session, in another agent", async () => {
  await using claude = await openHookedBed("claude")
  await using codex = await openHookedBed("codex", { project: claude.project })
  await using gemini = await openHookedBed("gemini", { project: claude.project })
  await claude.prompt("Add a helper. From now on, end all function names with '_b'.")
  expect(sentText((await codex.prompt("Write a function that adds two numbers")).requests[0])).toContain(
    "'_b'",
  )
  await codex.prompt("Going forward, please end function names with '_x'.", { resume: true })
  const shown = sentText((await gemini.prompt("Write a function that sorts a list")).requests[0])
  expect(shown).toContain("'_x'")
  expect(shown).not.toContain("'_b'")
})

it("all three and OpenCode write to one repository at the same time: nothing is lost, and each sees the others' decisions", async () => {
  await using opencode = await openBed({ git: true, hive: true, files: { "a.txt": "a\n" } })
  const { project } = opencode
  await using claude = await openHookedBed("claude", { project })
  await using codex = await openHookedBed("codex", { project })
  await using gemini = await openHookedBed("gemini", { project })
  const agents = [claude, codex, gemini]
  const session = await opencode.newSession("s")
  const decision = (who: string) => ({
    content: `${who} decided that module ${who} is written in Rust`,
    kind: "decision",
  })
  const facts = (who: string, step: number) =>
    Array.from({ length: WRITES / STEPS }, (_, n) => ({
      content: `${who} found fact ${step * (WRITES / STEPS) + n}`,
      kind: "fact",
    }))
  for (const { agent, model, does } of agents) {
    for (let step = 0; step < STEPS; step++)
      model.script(calls(...facts(agent, step).map((fact) => does.hive("memory save", fact))))
    model.script(does.hive("memory save", decision(agent)), say("Saved."))
  }
  const own = (args: object) => call("hivemind_memory", { action: "save", ...args })
  for (let step = 0; step < STEPS; step++) opencode.model.script(calls(...facts("opencode", step).map(own)))
  opencode.model.script(own(decision("opencode")), say("Saved."))

  const text = "Save what you find"
  await Promise.all([...agents.map((bed) => bed.prompt(text)), opencode.prompt(session, text)])
  const saved = [...opencode.state().mem.values()].filter(({ origin }) => origin === "saved")
  for (const who of ["opencode", ...agents.map(({ agent }) => agent)])
    expect(saved.filter(({ content }) => content.startsWith(`${who} found`))).toHaveLength(WRITES)

  const asked = "What did we decide, in which language is module"
  for (const bed of agents)
    for (const other of ["opencode", ...agents.map(({ agent }) => agent)].filter(
      (name) => name !== bed.agent,
    )) {
      const { requests } = await bed.prompt(`${asked} ${other} written?`, { resume: true })
      expect(sentText(requests[0])).toContain(decision(other).content)
    }
  for (const { agent } of agents) {
    const { requests } = await opencode.prompt(session, `${asked} ${agent} written?`)
    expect(sentText(requests[0])).toContain(decision(agent).content)
  }
}, 600_000)
