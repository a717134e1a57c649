import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { sample } from "../support/effort.ts"
import { copyOldLayout, everythingIn } from "../support/old-project.ts"
import { tempProject } from "../support/temp-project.ts"
import { hivemind, wasKilled } from "./killed-cli.ts"

it("a killed undo continues when run again, at any step", async () => {
  const whole = await migrated()
  const steps = Number((await undo(whole)).stderr)
  expect(steps).toBeGreaterThan(20)
  const expected = everything(whole)
  let killed = 0
  const shares = sample([0.95, 0.5, 0.7, 0.85], 2)
  for (const share of shares) {
    const dir = await migrated()
    if (await wasKilled(undo(dir, Math.floor(steps * share)))) killed++
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
  // The exit code is 1, because one record is put in quarantine.
  await expect(hivemind(dir, ["import", "migrate"])).rejects.toMatchObject({ code: 1 })
  expect(everything(dir)).not.toEqual(before)
  return dir
}

function undo(dir: string, at = 0): Promise<{ stderr: string }> {
  return hivemind(dir, ["import", "migrate", "--undo"], at)
}

function everything(dir: string): Record<string, string> {
  const { ".hivemind/system/migration.json": _, ...files } = everythingIn(dir)
  return files
}
