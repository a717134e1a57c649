import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commitFiles } from "../support/git-repo.ts"
import { openBed } from "./bed/bed.ts"
import { call, calls, say } from "./bed/steps.ts"

describe("data loss, on the real host in assisted", () => {
  it("everyday deletes run, the user's uncommitted work stays, and pushd is no way into .hivemind/", async () => {
    await using bed = await openBed({ git: true })
    const file = (path: string) => join(bed.project, path)
    commitFiles(bed.project, { "src/a.ts": "a", "src/old.ts": "old", "package-lock.json": "{}" }, "more")
    writeFileSync(file("src/a.ts"), "work in no commit")
    const bash = (command: string) => call("bash", { command, description: "x" })
    bed.model.script(
      calls(bash("rm -f src/old.ts && rm -rf package-lock.json"), bash("echo x > scratch.py")),
      calls(
        bash("rm -f scratch.py"),
        bash("rm -rf src"),
        bash("git checkout ."),
        bash("pushd .hivemind && echo x > system/config.json"),
        bash("mkdir -p .hivemind/artifacts && echo note > .hivemind/artifacts/note.md"),
      ),
      say("ok"),
    )
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
    expect(toolCalls.map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "completed",
      "error",
      "error",
      "error",
      "completed",
    ])
    expect(toolCalls[3]?.error).toContain("src/a.ts, which is the user's uncommitted work")
    expect(
      ["src/old.ts", "package-lock.json", "scratch.py", ".hivemind/system/config.json"]
        .map(file)
        .filter(existsSync),
    ).toEqual([])
    expect(readFileSync(file("src/a.ts"), "utf8")).toBe("work in no commit")
    expect(readFileSync(file(".hivemind/artifacts/note.md"), "utf8")).toBe("note\n")
  })
})
