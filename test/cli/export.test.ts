import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { sessionExport } from "../../src/schemas/export.ts"
import { readableStamp } from "../../src/shared/stamp.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { by } from "../support/records.ts"
import { fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()

describe("export", () => {
  test("writes down the state of the session that was last at work", async () => {
    const { stamp } = await fillProject(box.project)
    const { code, stdout, stderr } = await cli(box, ["export"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toBe(
      `Exported the session of ${readableStamp(stamp)} to .hivemind/sessions/archive/exports/${stamp}-001.json\n` +
        '1 issue:\n  "Build login" is active\n',
    )
    const folder = hivePaths(box.project).exports
    expect(readdirSync(folder)).toEqual([`${stamp}-001.json`])
    const record = sessionExport.parse(JSON.parse(readFileSync(join(folder, `${stamp}-001.json`), "utf8")))
    expect(record).toMatchObject({ session: { host_id: SESSION }, last_message: null })
  })

  test("a session by name, as JSON; the fourth says what it became", async () => {
    const { stamp } = await fillProject(box.project)
    await withStore(box.project, (store) =>
      store.write(by, (tx) => {
        const [session] = tx.all("session")
        const [task] = [...tx.all("task")].filter(({ title }) => title === "Build login")
        const at = new Date().toISOString()
        if (session === undefined || task === undefined) throw new Error("the project is filled")
        tx.set("task", task.id, { status: "completed", completed_at: at, updated_at: at })
      }),
    )
    for (let n = 1; n < 4; n++) {
      const { stdout } = await cli(box, ["export", "--session", stamp, "--json"])
      expect(JSON.parse(stdout)).toMatchObject({
        status: "success",
        file: `.hivemind/sessions/archive/exports/${stamp}-00${n}.json`,
        export: { number: n, session: { stamp } },
        synthesis: null,
      })
    }
    const { stdout } = await cli(box, ["export", "--session", stamp])
    expect(stdout).toMatch(/^The last four also became the mem [0-9a-f]{8}: done: Build login$/m)
  })

  test("lists newest first, of all sessions or one, with what was left alone", async () => {
    const { stamp } = await fillProject(box.project)
    expect((await cli(box, ["export", "--list"])).stdout).toBe("Nothing has been exported yet.\n")
    for (let n = 0; n < 2; n++) await cli(box, ["export"])
    writeFileSync(join(hivePaths(box.project).exports, `${stamp}-009.json`), "{ torn \u001b[31m")
    const lines = (await cli(box, ["export", "--list"])).stdout.trimEnd().split("\n")
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(
      new RegExp(`^[\\d-]{10} [\\d:]{8}  ${stamp}-002.json  session of ${readableStamp(stamp)}  1 issue$`),
    )
    expect(lines[2]).toBe(`left alone: ${stamp}-009.json (it is not valid JSON)`)
    const { stdout } = await cli(box, ["export", "--list", "--session", SESSION, "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      exports: [{ name: `${stamp}-002.json` }, { name: `${stamp}-001.json` }],
      strange: [{ name: `${stamp}-009.json` }],
    })
  })

  test("prunes to what the option says, or to what is asked for", async () => {
    await fillProject(box.project)
    for (let n = 0; n < 3; n++) await cli(box, ["export"])
    expect((await cli(box, ["export", "--prune"])).stdout).toBe("Deleted 0 exports; 3 exports kept.\n")
    expect((await cli(box, ["export", "--prune", "--keep", "1"])).stdout).toBe(
      "Deleted 2 exports; 1 export kept.\n",
    )
    const alone = await cli(box, ["export", "--keep", "0"])
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("export --prune --keep 0") })
    expect((await cli(box, ["export", "--prune", "--keep", "0"])).stdout).toBe(
      "Deleted 1 export; 0 exports kept.\n",
    )
  })

  test("what makes no sense is refused, and nothing is written or deleted", async () => {
    await fillProject(box.project)
    await cli(box, ["export"])
    for (const args of [
      ["--list", "--prune"],
      ["--prune", "--session", SESSION],
      ["--prune", "--keep", "few"],
    ])
      expect((await cli(box, ["export", ...args])).code, args.join(" ")).toBe(2)
    expect((await cli(box, ["export", "--session", "nobody"])).stderr).toContain("There is no session nobody")
    expect(readdirSync(hivePaths(box.project).exports)).toHaveLength(1)
  })

  test("without a session there is nothing to export", async () => {
    await withStore(box.project, (store) => store.append(by, (tx) => tx.count("ses_x", "turns")))
    const { code, stderr } = await cli(box, ["export"])
    expect(code).toBe(1)
    expect(stderr).toContain("No session has been at work in this project yet.")
  })
})
