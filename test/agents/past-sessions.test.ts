import { expect, it } from "vitest"
import { say } from "../live/bed/steps.ts"
import { openAgentBed } from "./bed/bed.ts"
import { AGENTS } from "./bed/programs.ts"

it.each(AGENTS)(
  "a session of the real %s is found, and its rule and failed approach are kept",
  async (agent) => {
    const check = `import { existsSync } from "node:fs"\nif (!existsSync("cache.txt")) throw new Error("cache.txt is missing")\n`
    await using bed = await openAgentBed(agent, { files: { "check.mjs": check } })
    const run = bed.does.run("node check.mjs")
    bed.model.script(run, run, bed.does.write("cache.txt", "1"), run, say("The check passes now."))
    await bed.prompt("Never touch the legacy folder. Please make the check pass.")
    const { stdout } = await bed.hivemind("import", "sessions", "--dry-run", "--json")
    const { sessions, kept } = JSON.parse(stdout)
    expect(sessions).toMatchObject({ found: 1, read: 1, unreadable: [] })
    const contents = kept.map(({ content }: { content: string }) => content).join("\n")
    expect(contents).toContain("Never touch the legacy folder.")
    expect(contents).toMatch(/`node check\.mjs` failed 2 times with "[^"]*cache\.txt is missing/)
  },
)
