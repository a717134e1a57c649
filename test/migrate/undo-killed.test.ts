import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { sample } from "../support/effort.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { tempProject } from "../support/temp-project.ts"

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
const KILLED_AT = fileURLToPath(new URL("../support/killed-at-step.mjs", import.meta.url))

it("a killed undo continues when run again, at any step", async () => {
  const whole = await migrated()
  const steps = Number((await undo(whole)).stderr)
  expect(steps).toBeGreaterThan(20)
  const expected = everything(whole)
  let killed = 0
  const shares = sample([0.95, 0.5, 0.7, 0.85], 2)
  for (const share of shares) {
    const dir = await migrated()
    if (await isKilled(dir, Math.floor(steps * share))) killed++
    await undo(dir)
    expect(everything(dir)).toEqual(expected)
  }
  expect(killed).toBeGreaterThanOrEqual(shares.length - 1)
})

async function migrated(): Promise<string> {
  const dir = await tempProject()
  copyOldLayout("g3", dir)
  writeFileSync(join(dir, ".hivemind/.gitignore"), "sessions/\n")
  const before = everything(dir)
  // It has something that could not be used.
  await expect(hivemind(dir, ["import", "migrate"])).rejects.toMatchObject({ code: 1 })
  expect(everything(dir)).not.toEqual(before)
  return dir
}

function undo(dir: string, at = 0): Promise<{ stderr: string }> {
  return hivemind(dir, ["import", "migrate", "--undo"], at)
}

function isKilled(dir: string, at: number): Promise<boolean> {
  return undo(dir, at).then(
    () => false,
    ({ signal }: { signal?: string }) => signal === "SIGKILL",
  )
}

function hivemind(dir: string, args: string[], at = 0): Promise<{ stderr: string }> {
  const env = { PATH: process.env["PATH"], HOME: dir, KILL_AT: String(at) }
  return promisify(execFile)(process.execPath, ["--import", KILLED_AT, CLI, ...args], { cwd: dir, env })
}

/** Every folder, and every file with its content, but the note that it was undone. */
function everything(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).sort()
  return Object.fromEntries(
    names
      .filter((name) => name !== ".hivemind/system/migration.json")
      .map((name) => [
        name,
        statSync(join(dir, name)).isFile() ? readFileSync(join(dir, name), "latin1") : "",
      ]),
  )
}
