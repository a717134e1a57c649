import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { sessionExport } from "../../src/schemas/export.ts"
import { readableStamp } from "../../src/shared/stamp.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { by } from "../support/records.ts"
import { SESSION, useFilledProject, withStore } from "./filled-project.ts"
import { cli, cliJson, shown, useSandbox } from "./harness.ts"

const empty = useSandbox()
const box = useFilledProject()
const folder = () => hivePaths(box.project).exports
const run = (more = "") => shown(box, `export${more}`)

test("writes down the state of the session that was last at work", async () => {
  const name = `${box.stamp}-001.json`
  expect(await run()).toBe(
    `Exported the session of ${readableStamp(box.stamp)} to .hivemind/sessions/archive/exports/${name}\n` +
      '1 issue:\n  "Build login" is active\n',
  )
  expect(readdirSync(folder())).toEqual([name])
  const record = sessionExport.parse(JSON.parse(readFileSync(join(folder(), name), "utf8")))
  expect(record).toMatchObject({ session: { host_id: SESSION }, last_message: null })
})

test("exports a named session as JSON; the fourth export names the mem that was made of all four", async () => {
  const { stamp } = box
  const at = new Date().toISOString()
  await withStore(box.project, (store) =>
    store.write(by, (tx) =>
      tx.set("task", box.task, { status: "completed", completed_at: at, updated_at: at }),
    ),
  )
  for (let n = 1; n < 4; n++)
    expect(await cliJson(box, `export --session ${stamp}`)).toMatchObject({
      status: "success",
      file: `.hivemind/sessions/archive/exports/${stamp}-00${n}.json`,
      export: { number: n, session: { stamp } },
      synthesis: null,
    })
  const became = /^The last four exports were summarized in the mem [0-9a-f]{8}: done: Build login$/m
  expect(await run(` --session ${stamp}`)).toMatch(became)
})

test("lists exports of all sessions or of one, newest first, with the files that were skipped", async () => {
  const { stamp } = box
  expect(await run(" --list")).toBe("Nothing has been exported yet.\n")
  for (let n = 0; n < 2; n++) await run()
  writeFileSync(join(folder(), `${stamp}-009.json`), "{ torn \u001b[31m")
  const lines = (await run(" --list")).trimEnd().split("\n")
  expect(lines).toHaveLength(3)
  const newest = `^[\\d-]{10} [\\d:]{8}  ${stamp}-002.json  session of ${readableStamp(stamp)}  1 issue$`
  expect(lines[0]).toMatch(new RegExp(newest))
  expect(lines[2]).toBe(`skipped: ${stamp}-009.json (it is not valid JSON)`)
  expect(await cliJson(box, `export --list --session ${SESSION}`)).toMatchObject({
    exports: [{ name: `${stamp}-002.json` }, { name: `${stamp}-001.json` }],
    strange: [{ name: `${stamp}-009.json` }],
  })
})

test("prunes to the number in the configuration, or to the number given", async () => {
  for (let n = 0; n < 3; n++) await run()
  expect(await run(" --prune")).toBe("Deleted 0 exports; 3 exports kept.\n")
  expect(await run(" --prune --keep 1")).toBe("Deleted 2 exports; 1 export kept.\n")
  expect(await run(" --prune --keep 0")).toBe("Deleted 1 export; 0 exports kept.\n")
})

test.each([
  ["--list --prune", 2, "cannot be used with"],
  [`--prune --session ${SESSION}`, 2, "cannot be used with"],
  ["--prune --keep few", 2, "'few' is invalid"],
  ["--keep 0", 2, "export --prune --keep 0"],
  ["--session nobody", 1, "There is no session nobody"],
])("%s is refused, and nothing is written or deleted", async (args, exit, words) => {
  await run()
  const { code, stderr } = await cli(box, `export ${args}`)
  expect([code, stderr]).toEqual([exit, expect.stringContaining(words)])
  expect(readdirSync(folder())).toHaveLength(1)
})

test("without a session there is nothing to export", async () => {
  await withStore(empty.project, (store) => store.append(by, (tx) => tx.count("ses_x", "turns")))
  const { code, stderr } = await cli(empty, "export")
  const words = expect.stringContaining("No session has been active in this project yet.")
  expect([code, stderr]).toEqual([1, words])
})
