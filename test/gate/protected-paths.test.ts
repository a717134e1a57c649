import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { analyzeCall } from "../../src/gate/call.ts"
import { refuseSettingsChange } from "../../src/gate/protected-paths.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { isHostConfig } from "../../src/hosts/opencode/own-entry.ts"
import { tempProject } from "../support/temp-project.ts"

describe("a command that writes how HiveMind is loaded and governs", () => {
  it("is refused by the file's name, by a pattern that means it, and with its folder", async () => {
    const { refused } = await project(["opencode.json", ".opencode/opencode.jsonc", "package.json"])
    for (const command of [
      "echo '{}' > opencode.json",
      "sed -i s/strict/off/ [o]pencode.js?n",
      "find . -name '*.json' -exec sed -i s/a/b/ {} +",
      "sed -i s/a/b/ .open*/*.jsonc",
      "rm -rf .opencode",
      "mv .opencode old",
      "sed -i s/a/b/ hive/*.json",
      "sed -i s/a/b/ link*",
    ])
      expect(refused(command), command).toBe("protected")
    for (const command of [
      "sed -i s/a/b/ package*.json",
      "sed -i s/a/b/ src/*.json",
      "npx prettier --write .",
      "rm -rf src",
      "cat *.json",
    ])
      expect(refused(command), command).toBeUndefined()
  })

  it("is allowed if it concerns none of these files", async () => {
    const { refused } = await project(["package.json"])
    for (const command of ["sed -i s/a/b/ *.json", "rm -rf src/*", "perl -pi -e s/a/b/ src/**/*.json"])
      expect(refused(command), command).toBeUndefined()
    // The effects of a script are not checked.
    expect(refused("node change-config.mjs")).toBeUndefined()
  })
})

async function project(files: string[]) {
  const dir = realpathSync(await tempProject())
  for (const folder of [".opencode", "src", "hive"]) mkdirSync(join(dir, folder))
  for (const file of [...files, "hive/user.json", "src/a.json"]) writeFileSync(join(dir, file), "{}")
  symlinkSync("opencode.json", join(dir, "link.txt"))
  const settings = { isHostConfig, userConfig: join(dir, "hive/user.json") }
  const read = (command: string, cwd: string) => readCommand(command, { project: dir, cwd, home: "/home/me" })
  const refused = (command: string): string | undefined => {
    const call = readCall({ id: "c", tool: "bash", args: { command }, agent: "build", session: "s" })
    try {
      refuseSettingsChange(analyzeCall(call, { projectDir: dir, directory: dir, read }), settings, dir)
      return undefined
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  return { refused }
}
