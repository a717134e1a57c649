import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { pause, say } from "../live/bed/steps.ts"
import { ofTurn, openHookedBed, sentText } from "./hooked-bed.ts"

it("shows all of the state again after each of three compactions, and asks the summary to keep the work", async () => {
  await using bed = await openHookedBed("claude")
  await bed.hivemind("remember", "One SQLite file holds it all", "--kind", "decision")
  bed.model.script(bed.does.run("echo begun"), say("Hello."))
  await bed.prompt("From now on use pnpm, not npm.")
  for (let n = 1; n <= 3; n++) {
    const compacted = await bed.prompt("/compact", { resume: true })
    expect(compacted.stdout).not.toContain("Not enough")
    bed.model.script(bed.does.run("echo more"), say(`Went on ${n}.`))
    const { requests } = await bed.prompt(`Go on, part ${n}`, { resume: true })
    const text = sentText(ofTurn(requests)[0])
    expect(text.split("<hivemind_state>\\n")).toHaveLength(2)
    expect(text).toMatch(/<hivemind_state>.*use pnpm.*SQLite/s)
  }
  const summaries = bed.model.requests.filter(({ kind }) => kind === "compaction")
  expect(summaries).toHaveLength(3)
  for (const request of summaries) expect(sentText(request)).toMatch(/Additional Instructions.*use pnpm/s)
}, 300_000)

it("sees a prompt that the user types while it works", async () => {
  await using bed = await openHookedBed("claude", {
    // As after the first start of a user who has answered its questions.
    home: {
      ".claude.json": JSON.stringify({
        ...{ hasCompletedOnboarding: true, theme: "dark", bypassPermissionsModeAccepted: true },
        customApiKeyResponses: { approved: ["sk-made-up"], rejected: [] },
      }),
    },
  })
  const held = pause()
  bed.model.script(
    { ...bed.does.run("echo one"), pause: held },
    bed.does.run("echo two"),
    say("Done so far."),
  )
  await using terminal = bed.onScreen()
  await terminal.shows("trust")
  terminal.press("Enter")
  await terminal.shows("bypass permissions on")
  terminal.type("Please begin")
  terminal.press("Enter")
  await held.reached
  terminal.type("From now on use pnpm, not npm.")
  terminal.press("Enter")
  await terminal.shows("use pnpm")
  held.release()
  await terminal.shows("Done so far.")
  const rules = [...bed.state().mem.values()].filter(({ kind }) => kind === "rule")
  expect(rules.map(({ content }) => content)).toEqual([expect.stringContaining("use pnpm")])
  expect(sentText(bed.model.lastTurn())).toMatch(
    /PostToolBatch hook additional context: <hivemind_delta>.*pnpm/s,
  )
})

it("counts tokens from the transcript, each answer once, also those of an earlier process", async () => {
  await using bed = await openHookedBed("claude")
  const usage = { input: 1000, output: 50 }
  bed.model.script(bed.does.run("echo one"), say("Done.", { usage }))
  await bed.prompt("Begin")
  bed.model.script(say("Done again.", { usage }))
  await bed.prompt("Go on", { resume: true })
  const { stdout } = await bed.hivemind("cost", "--json")
  expect(JSON.parse(stdout).total).toMatchObject({ answers: 3, input: 2100, output: 110 })
})

it("init sets it up once, doctor reports it, and uninstall restores the project's file", async () => {
  await using bed = await openHookedBed("claude")
  const file = join(bed.project, ".claude", "settings.local.json")
  expect(readFileSync(file, "utf8")).toContain("hivemind@hivemind")
  expect((await bed.hivemind("init", "--yes", "--agent", "claude")).stdout).toContain("Nothing to do")
  const doctor = await bed.hivemind("doctor")
  expect(doctor.stdout).toMatch(/ok +claude code +2\.1\.197/)
  expect(doctor.stdout).toMatch(/ok +claude hooks +.*SessionStart.*PreToolUse.*Stop/)
  expect((await bed.hivemind("uninstall", "--yes", "--agent", "claude")).stdout).toContain("is uninstalled")
  expect(existsSync(join(bed.project, ".claude"))).toBe(false)
  const mine = '{\n  "permissions": { "allow": ["Bash(ls)"] }\n}'
  mkdirSync(dirname(file))
  writeFileSync(file, mine)
  await bed.hivemind("init", "--yes", "--agent", "claude")
  expect(readFileSync(file, "utf8")).toContain("hivemind@hivemind")
  await bed.hivemind("uninstall", "--yes")
  expect(readFileSync(file, "utf8")).toBe(mine)
})
