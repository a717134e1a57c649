import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { migrate } from "../../src/migrate/migrate.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { readMigration } from "../../src/store/migrations.ts"
import { seeded } from "../support/clones.ts"
import { trials } from "../support/effort.ts"
import { copyOldLayout, hiveIn, recordTexts } from "../support/old-project.ts"
import { tempProject } from "../support/temp-project.ts"
import { wasKilled } from "./killed-cli.ts"

const MIGRATOR = fileURLToPath(new URL("../support/migrator.mjs", import.meta.url))
const KILLED = trials(3, 14)
const FAILED = trials(6, 86)

it("a killed or failed migration has the same result after the next run", async () => {
  const whole = await oldFolder()
  const { stdout } = await node("count", whole)
  const steps = Number(stdout)
  expect(steps).toBeGreaterThan(50)
  const expected = endOf(whole)
  const random = seeded(20261116)
  const moment = () => String(1 + Math.floor(random() * steps))

  const failed: string[] = []
  const args: string[] = []
  for (let n = 0; n < FAILED; n++) {
    const dir = await oldFolder()
    failed.push(dir)
    args.push(moment(), dir)
  }
  const outcomes = (await node("throw", ...args)).stdout.trim().split("\n")
  expect(outcomes).toHaveLength(FAILED)
  // A failure after the last write has no effect, so some runs end normally.
  expect(outcomes.filter((each) => each !== "done").length).toBeGreaterThan(FAILED / 2)
  for (const dir of failed) expect(endOf(dir)).toEqual(expected)

  let killed = 0
  for (let n = 0; n < KILLED; n++) {
    const dir = await oldFolder()
    if (await wasKilled(node("kill", moment(), dir))) killed++
    await migrate(hiveIn(dir))
    expect(endOf(dir)).toEqual(expected)
  }
  expect(killed).toBeGreaterThan(KILLED / 2)
})

async function oldFolder(): Promise<string> {
  const dir = await tempProject()
  copyOldLayout("mixed", dir)
  return dir
}

function node(...args: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [MIGRATOR, ...args], { encoding: "utf8" })
}

function endOf(dir: string) {
  const { state, problems } = hiveIn(dir).store.read()
  const { config, quarantine } = hivePaths(dir)
  return {
    problems,
    records: recordTexts(state),
    migration: { ...readMigration(dir), started_at: "", finished_at: "" },
    quarantine: readFileSync(quarantine, "utf8").split("\n").sort(),
    config: existsSync(config) ? readFileSync(config, "utf8") : null,
    files: readdirSync(dir, { recursive: true, encoding: "utf8" })
      .filter((name) => !OWN.test(name) && statSync(join(dir, name)).isFile())
      .sort(),
  }
}

const OWN =
  /^\.hivemind\/(\.gitignore|system|graph\/(log|parts|manifest|archive|quarantine|\.lock)|state\/metrics)|hivemind-tmp/
