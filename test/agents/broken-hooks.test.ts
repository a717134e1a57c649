import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { say } from "../live/bed/steps.ts"
import { AGENTS } from "./bed/programs.ts"
import { openHookedBed } from "./hooked-bed.ts"

/** What the program does instead of our hook or server. */
const BROKEN = { killed: "kill -9 $$", garbage: "echo '}{'; exit 1" }

describe.each(AGENTS)("%s goes on", (agent) => {
  it.each(Object.entries(BROKEN))(
    "when its hooks are %s",
    async (_how, instead) => {
      await using bed = await openHookedBed(agent, { path: brokenNode(instead) })
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

/** A folder with a `node` that is broken for our hooks and servers, and for them alone. */
function brokenNode(instead: string): string {
  const folder = mkdtempSync(join(tmpdir(), "hivemind-broken-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const script = `#!/bin/sh\ncase "$1:$2" in *main.js:hook|*main.js:mcp) ${instead};; esac\nexec "${process.execPath}" "$@"\n`
  writeFileSync(join(folder, "node"), script)
  chmodSync(join(folder, "node"), 0o755)
  return folder
}
