import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { pause, say } from "../live/bed/steps.ts"
import { AGENTS } from "./bed/programs.ts"
import { openHookedBed, sentText } from "./hooked-bed.ts"

/** What the program does instead of our hook or server. */
const BROKEN = { killed: "kill -9 $$", garbage: "echo '}{'; exit 1" }

describe.each(AGENTS)("%s goes on", (agent) => {
  it.each(Object.entries(BROKEN))(
    "when its hooks are %s",
    async (_how, instead) => {
      await using bed = await openHookedBed(agent, { path: brokenNode(["hook", "mcp"], instead) })
      // The server never comes, so nothing waits for its tools.
      delete bed.model.tooEarly
      bed.model.script(bed.does.run("echo ran > ran.txt"), bed.does.run("echo again"), say("Done."))
      const { code, stdout } = await bed.prompt("Go")
      expect(code).toBe(0)
      expect(stdout).toContain("Done.")
      expect(existsSync(join(bed.project, "ran.txt"))).toBe(true)
    },
    400_000,
  )
})

it.each(AGENTS)(
  "%s is shown the state, and the gate holds, while HiveMind's server does not run",
  async (agent) => {
    await using bed = await openHookedBed(agent, { path: brokenNode(["mcp"], "exit 1") })
    delete bed.model.tooEarly
    await bed.hivemind("remember", "One SQLite file holds it all", "--kind", "decision")
    bed.model.script(bed.does.run("git push --force"), bed.does.run("echo ran > ran.txt"), say("I see."))
    const first = await bed.prompt("From now on use pnpm.")
    expect(sentText(first.requests[0])).toMatch(/[<[]hivemind_state.*One SQLite file/s)
    expect(first.requests[1]?.toolOutputs.join()).toMatch(/WHAT: .*was not run/)
    expect(existsSync(join(bed.project, "ran.txt"))).toBe(true)
    await bed.hivemind("remember", "Errors are thrown, never returned", "--kind", "decision")
    bed.model.script(say("Hello again."))
    const second = await bed.prompt("Go on", { resume: true })
    expect(sentText(second.requests[0])).toMatch(/[<[]hivemind_delta.*Errors are thrown/s)
    expect(sentText(second.requests[0]).match(/[<[]\/hivemind_state[>\]]/g)).toHaveLength(1)
    const contents = [...bed.state().mem.values()].map(({ content }) => content)
    expect(contents.filter((content) => content.includes("use pnpm"))).toHaveLength(1)
  },
  400_000,
)

it("codex is shown the state once if HiveMind's server starts after its first request", async () => {
  const go = join(mkdtempSync(join(tmpdir(), "hivemind-late-")), "go")
  onTestFinished(() => rmSync(dirname(go), { recursive: true, force: true }))
  const late = brokenNode(["mcp"], `until [ -e "${go}" ]; do sleep 0.1; done`)
  await using bed = await openHookedBed("codex", { path: late })
  const { tooEarly } = bed.model
  bed.model.tooEarly = (request) => (existsSync(go) ? tooEarly?.(request) : undefined)
  const held = pause()
  bed.model.script(
    { ...bed.does.run("git push --force"), pause: held },
    bed.does.run("echo ran > ran.txt"),
    say("Done."),
  )
  const { done } = bed.start("From now on use pnpm.")
  await held.reached
  writeFileSync(go, "")
  held.release()
  const { requests } = await done
  expect(sentText(requests.at(-1)).match(/<\/hivemind_state>/g)).toHaveLength(1)
  expect(sentText(requests.at(-1))).toMatch(/WHAT: .*was not run/)
  expect([...bed.state().checkpoint.values()].flatMap(({ files }) => files)).toContain("ran.txt")
  expect([...bed.state().mem.values()].filter(({ kind }) => kind === "rule")).toHaveLength(1)
})

/** A folder with a `node` that is broken for our hooks or servers, and for them alone. */
function brokenNode(commands: readonly string[], instead: string): string {
  const folder = mkdtempSync(join(tmpdir(), "hivemind-broken-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const broken = commands.map((command) => `*main.js:${command}`).join("|")
  const script = `#!/bin/sh\ncase "$1:$2" in ${broken}) ${instead};; esac\nexec "${process.execPath}" "$@"\n`
  writeFileSync(join(folder, "node"), script)
  chmodSync(join(folder, "node"), 0o755)
  return folder
}
