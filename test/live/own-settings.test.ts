import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { commitFiles } from "../support/git-repo.ts"
import { openBed } from "./bed/bed.ts"
import { CLI } from "./bed/scratch.ts"
import { bash, call, calls } from "./bed/steps.ts"

it("an agent does not uninstall HiveMind, also without the environment that the host's shell hands down", async () => {
  await using bed = await openBed({ hive: true })
  const command = bash(`env -i PATH="$PATH" node ${CLI} uninstall --yes`)
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", command)
  expect(toolCalls[0]?.output).toContain("needs a person")
})

it("an agent changes its model in the host's configuration, but not how HiveMind governs", async () => {
  await using bed = await openBed({ pluginOptions: { governance: "assisted" } })
  const filePath = join(bed.project, "opencode.json")
  const before = readFileSync(filePath, "utf8")
  const edit = (oldString: string, newString: string) => call("edit", { filePath, oldString, newString })
  const { toolCalls } = await bed.prompt(
    await bed.newSession("s"),
    "Go",
    call("read", { filePath }),
    edit('"governance": "assisted"', '"governance": "off"'),
    bash("sed -i s/assisted/off/ opencode.json"),
    edit('"share": "disabled"', '"share": "manual"'),
  )
  expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "error", "error", "completed"])
  expect(toolCalls[1]?.error).toContain("Only the user decides how HiveMind is loaded and what it enforces")
  expect(readFileSync(filePath, "utf8")).toBe(before.replace('"share": "disabled"', '"share": "manual"'))
})

it("everyday deletes run, the user's uncommitted work stays, and pushd is no way into .hivemind/", async () => {
  await using bed = await openBed({ git: true })
  const file = (path: string) => join(bed.project, path)
  commitFiles(bed.project, { "src/a.ts": "a", "src/old.ts": "old", "package-lock.json": "{}" }, "more")
  writeFileSync(file("src/a.ts"), "work in no commit")
  const { toolCalls } = await bed.prompt(
    await bed.newSession("s"),
    "Go",
    calls(bash("rm -f src/old.ts && rm -rf package-lock.json"), bash("echo x > scratch.py")),
    calls(
      bash("rm -f scratch.py"),
      bash("mkdir -p .hivemind/artifacts && echo note > .hivemind/artifacts/note.md"),
      bash("rm -rf src"),
      bash("git checkout ."),
      bash("pushd .hivemind && echo x > system/config.json"),
    ),
  )
  const run = toolCalls.map(({ status }) => status === "completed")
  expect(run).toEqual([true, true, true, true, false, false, false])
  expect(toolCalls[4]?.error).toContain("src/a.ts, which is the user's uncommitted work")
  const gone = ["src/old.ts", "package-lock.json", "scratch.py", ".hivemind/system/config.json"]
  expect(gone.map(file).filter(existsSync)).toEqual([])
  expect(readFileSync(file("src/a.ts"), "utf8")).toBe("work in no commit")
  expect(readFileSync(file(".hivemind/artifacts/note.md"), "utf8")).toBe("note\n")
})
