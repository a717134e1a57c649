import { execFile } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Check } from "../../src/cli/doctor/check.ts"
import { isRunning } from "../support/is-running.ts"
import { findOpencode } from "./bed/opencode-binary.ts"
import { noOpencode2, opencode2OnPath } from "./bed/opencode2.ts"
import { CLI, makeScratch, REPOSITORY, type Scratch, type ScratchOptions } from "./bed/scratch.ts"

describe("doctor with the real OpenCode", () => {
  it("sees that the plugin is loaded, ends OpenCode again and makes no .hivemind/", async () => {
    const scratch = open({ morePlugins: ["./notes-pid"], files: NOTES_PID })
    const { code, checks } = await doctor(scratch)
    const found = [expect.stringContaining("HiveMind tools")]
    expect(checks["plugin loads"]).toMatchObject({ level: "ok", found })
    expect(checks["opencode"]).toMatchObject({ found: [expect.stringMatching(/^\d+\.\d+\.\d+/)] })
    expect(code).toBe(0)
    expect(existsSync(join(scratch.project, ".hivemind"))).toBe(false)
    expect(isRunning(Number(readFileSync(join(scratch.project, "pid.txt"), "utf8")))).toBe(false)
  })

  it("tells, in OpenCode's words, why a plugin was not loaded", async () => {
    const manifest = { name: "hivemind-opencode", exports: { "./server": "./dist/index.js" } }
    const scratch = open({ plugin: "./unbuilt", files: { "unbuilt/package.json": JSON.stringify(manifest) } })
    const { code, checks } = await doctor(scratch)
    expect(checks["plugin entry"]).toMatchObject({ level: "ok" })
    expect(checks["plugin loads"]).toMatchObject({
      level: "trouble",
      found: [
        "OpenCode started without HiveMind's tools",
        expect.stringMatching(/Failed to load plugin .*unbuilt.*dist\/index\.js/),
      ],
    })
    expect(code).toBe(1)
  })
})

describe.skipIf(noOpencode2 !== undefined)("doctor with the real OpenCode 2", () => {
  it("sees that the plugin is active, and tells why another was not loaded", async () => {
    const scratch = open({})
    const path = opencode2OnPath(scratch.root)
    const { code, checks } = await doctor(scratch, path)
    expect(checks["opencode"]).toMatchObject({ level: "ok", found: [expect.stringMatching(/^2\./)] })
    const found = [expect.stringContaining("HiveMind active")]
    expect(checks["plugin loads"]).toMatchObject({ level: "ok", found })
    expect(code).toBe(0)

    const old = { name: "hivemind-opencode", type: "module", main: "./index.js" }
    const files = {
      "old/package.json": JSON.stringify(old),
      "old/index.js": 'export default { id: "hivemind", server: async () => ({}) }',
    }
    const other = await doctor(open({ plugin: "./old", files }), path)
    expect(other.checks["plugin loads"]).toMatchObject({
      level: "trouble",
      found: ["OpenCode started without HiveMind", expect.stringMatching(/old: .*setup/s)],
    })
  })
})

function open(options: ScratchOptions): Scratch {
  const scratch = makeScratch("http://127.0.0.1:9/no-model-is-asked", options)
  onTestFinished(() => rmSync(scratch.root, { recursive: true, force: true, maxRetries: 3 }))
  return scratch
}

function doctor(
  { project, env }: Scratch,
  binaries = dirname(findOpencode(REPOSITORY)),
): Promise<{ code: number; checks: Record<string, Check> }> {
  const PATH = [binaries, env["PATH"]].join(delimiter)
  const args = [CLI, "doctor", "--json"]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: project, env: { ...env, PATH } }, (error, stdout) => {
      const { checks } = JSON.parse(stdout) as { checks: Check[] }
      const byName = Object.fromEntries(checks.map((check) => [check.name, check]))
      resolve({ code: Number(error?.code ?? 0), checks: byName })
    })
  })
}

const NOTES_PID = {
  "notes-pid/package.json": '{"name": "notes-pid", "type": "module", "exports": {"./server": "./index.js"}}',
  "notes-pid/index.js": `
    import { writeFileSync } from "node:fs"
    const server = async ({ directory }) => (writeFileSync(directory + "/pid.txt", String(process.pid)), {})
    export default { id: "notes-pid", server }
  `,
}
