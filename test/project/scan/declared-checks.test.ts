import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { scanHive } from "../../../src/knowledge/project/scan-hive.ts"
import { declaredChecks } from "../../../src/project/scan/map-file.ts"
import { openProcess } from "../../support/hive-at-work.ts"
import { tempProject } from "../../support/temp-project.ts"

it("are the commands of the last scan that can fail, read again after each scan; none without a scan", async () => {
  const dir = await tempProject()
  const scripts = (names: string[]) =>
    writeFileSync(
      join(dir, "package.json"),
      JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, "x"])) }),
    )
  const hive = await openProcess(dir)
  const scan = () => scanHive(hive, { session: null, agent: null, tool: "test" }, "full")
  scripts(["ci", "format", "start"])
  expect(await declaredChecks(hive)).toEqual([])
  await scan()
  expect(await declaredChecks(hive)).toEqual(["npm run ci"])
  scripts(["ci", "validate", "test"])
  expect(await declaredChecks(hive)).toEqual(["npm run ci"])
  await scan()
  expect(await declaredChecks(hive)).toEqual(["npm test", "npm run ci", "npm run validate"])
})
