import { expect, it } from "vitest"
import { prefixFigures } from "../live/bed/prefix.ts"
import { say } from "../live/bed/steps.ts"
import { noTerminal } from "../live/bed/terminal.ts"
import { type AgentBed, openAgentBed } from "./bed/bed.ts"
import { sent } from "./bed/sent.ts"

const TURNS = 12
// Claude Code repeats `git status` in its system prompt: files that change would change it from process to process.
const files = { ".gitignore": ".hivemind/\n.claude/\n", "notes.md": "Some notes.\n" }

it.each(["claude", "codex"] as const)(
  "%s keeps 100 %% of the prefix over 12 turns of 3 calls, each turn a process that resumes the session",
  async (agent) => {
    await using bed = await openAgentBed(agent, { hive: true, files })
    for (let turn = 1; turn <= TURNS; turn++) {
      await prepareTurn(bed, turn)
      const { code } = await bed.prompt(messageOf(turn), { resume: turn > 1 })
      expect(code).toBe(0)
    }
    expectStable(bed)
  },
  600_000,
)

it("gemini keeps 100 % of the prefix over 12 turns of 3 calls in one process", async ({ skip }) => {
  if (noTerminal !== undefined) skip(noTerminal)
  await using bed = await openAgentBed("gemini", { hive: true, files })
  await using screen = bed.onScreen()
  await screen.shows("Type your message")
  for (let turn = 1; turn <= TURNS; turn++) {
    await prepareTurn(bed, turn)
    screen.type(messageOf(turn))
    await screen.shows(`step ${turn} of the plan`)
    screen.press("Enter")
    await screen.shows(`Turn ${turn} is done`)
  }
  expectStable(bed)
}, 600_000)

/** Another process decides something, then the model moves on, saves what it found and runs a command. */
async function prepareTurn(bed: AgentBed, turn: number): Promise<void> {
  await bed.hivemind("remember", `Rule ${turn} holds for module ${turn}`, "--kind", "decision")
  bed.model.script(
    bed.does.hive("session update", { level: "action", content: `Step ${turn} of the work` }),
    bed.does.hive("memory save", {
      content: `Finding ${turn}: the cause is in module ${turn}`,
      kind: "fact",
    }),
    bed.does.run("cat notes.md"),
    say(`Turn ${turn} is done.`),
  )
}

function messageOf(turn: number): string {
  return `Please go on with module ${turn}, step ${turn} of the plan`
}

function expectStable({ model }: AgentBed): void {
  const turns = model.turns()
  expect(turns).toHaveLength(4 * TURNS)
  expect(new Set(prefixFigures(turns).kept)).toEqual(new Set([1]))
  for (let turn = 1; turn <= TURNS; turn++) {
    expect(sent(turns[4 * (turn - 1)])).toContain(`Rule ${turn} holds for module ${turn}`)
  }
}
