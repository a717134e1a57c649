import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { jsonLines } from "../../../src/store/files/json-lines.ts"
import { createLayout, hivePaths } from "../../../src/store/files/layout.ts"
import { openLog } from "../../../src/store/files/log-file.ts"
import { isOutside, linkOutside } from "../../../src/store/files/outside.ts"
import { appendText, createText, moveText, removeText } from "../../../src/store/files/text-file.ts"
import { tempProject } from "../../support/temp-project.ts"

/** A project whose `.hivemind` leads to a folder with one file elsewhere. */
async function linkedProject() {
  const project = await tempProject()
  const elsewhere = await tempProject()
  writeFileSync(join(elsewhere, "theirs.md"), "theirs")
  symlinkSync(elsewhere, join(project, ".hivemind"))
  return { paths: hivePaths(project), elsewhere }
}

describe("a link out of the project", () => {
  it("is not written through, whatever writes", async () => {
    const { paths, elsewhere } = await linkedProject()
    const theirs = join(paths.root, "theirs.md")
    const refused = expect.objectContaining({ code: "not_writable" })
    expect(() => createText(join(paths.sessions, "a.md"), "x")).toThrow(refused)
    expect(() => appendText(theirs, "x")).toThrow(refused)
    expect(() => moveText(theirs, join(paths.root, "moved.md"))).toThrow(refused)
    expect(() => removeText(theirs)).toThrow(refused)
    expect(() => jsonLines(join(paths.injected, "a.jsonl")).append([1])).toThrow(refused)
    await expect(createLayout(join(paths.root, ".."))).rejects.toMatchObject({ code: "not_writable" })
    const { log, idle } = openLog(paths, systemSource.now, () => "debug")
    log("error", "x")
    await idle()
    expect(readdirSync(elsewhere)).toEqual(["theirs.md"])
    expect(readFileSync(join(elsewhere, "theirs.md"), "utf8")).toBe("theirs")
  })

  it("is one also where nothing is yet, and where it is a file deep inside", async () => {
    const project = await tempProject()
    const paths = hivePaths(project)
    symlinkSync("../not-there-yet", paths.root)
    expect(linkOutside(paths)).toEqual({ link: paths.root, target: join(project, "..", "not-there-yet") })
    const other = hivePaths(await tempProject())
    await createLayout(join(other.root, ".."))
    symlinkSync("/etc/hostname", join(other.sessions, "a.md"))
    expect(linkOutside(other)).toBeUndefined()
    expect(() => appendText(join(other.sessions, "a.md"), "x")).toThrow(/link out of the project/)
  })

  it("is none where it stays inside, or where the project itself is reached by one", async () => {
    const project = await tempProject()
    mkdirSync(join(project, "docs", "hive"), { recursive: true })
    symlinkSync(join("docs", "hive"), join(project, ".hivemind"))
    expect(linkOutside(hivePaths(project))).toBeUndefined()
    const link = join(await tempProject(), "link")
    symlinkSync(project, link)
    expect(isOutside(hivePaths(link).log)).toBe(false)
    await createLayout(link)
    expect(readdirSync(join(project, "docs", "hive"))).toContain("graph")
  })
})
