import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { prefixFigures } from "../live/bed/prefix.ts"
import { calls, say } from "../live/bed/steps.ts"
import { openAgentBed } from "./bed/bed.ts"
import { AGENTS } from "./bed/programs.ts"

describe.each(AGENTS)("the real %s", (agent) => {
  it("runs what the scripted model calls, and goes on with its session", async () => {
    await using bed = await openAgentBed(agent, { files: { ".gitignore": "*.txt\n" } })
    bed.model.script(
      bed.does.run("echo ran > ran.txt && echo heard"),
      bed.does.write("b.txt", "b"),
      say("Done so far."),
    )
    const { code, stdout, stderr, requests } = await bed.prompt("Please begin")
    expect(`${code} ${stderr}`).toMatch(/^0/)
    expect(stdout).toContain("Done so far.")
    expect(requests).toHaveLength(3)
    expect(requests[1]?.toolOutputs.join()).toContain("heard")
    expect(existsSync(join(bed.project, "ran.txt"))).toBe(true)
    expect(existsSync(join(bed.project, "b.txt"))).toBe(true)
    bed.model.script(calls(bed.does.run("echo one"), bed.does.run("echo two")), say("Done again."))
    const again = await bed.prompt("Please go on", { resume: true })
    expect(JSON.stringify(again.requests[0]?.body)).toContain("Please begin")
    expect(again.requests.at(-1)?.toolOutputs).toHaveLength(2)
    // Claude Code repeats `git status` in its system prompt, so new files are ignored ones here; Gemini CLI rebuilds its history.
    const kept = prefixFigures([...requests, ...again.requests]).kept
    expect(new Set(agent === "gemini" ? kept.slice(0, 2) : kept)).toEqual(new Set([1]))
  })
})
