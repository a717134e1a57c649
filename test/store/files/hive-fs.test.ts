import fs from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemSource } from "../../../src/shared/ids.ts"
import { listTree, openSync, readFile, readFileSync } from "../../../src/store/files/hive-fs.ts"
import { jsonLines } from "../../../src/store/files/json-lines.ts"
import { createLayout, hivePaths } from "../../../src/store/files/layout.ts"
import { openLog } from "../../../src/store/files/log-file.ts"
import { appendText, createText, moveText, removeText } from "../../../src/store/files/text-file.ts"
import { createAtomic, writeAtomic } from "../../../src/store/files/write-file.ts"
import { tempProject } from "../../support/temp-project.ts"

const refusedWrite = expect.objectContaining({ code: "not_writable" })
const refusedRead = expect.objectContaining({ code: "not_readable" })

async function withVictim() {
  const project = await tempProject()
  await createLayout(project)
  const victim = join(await tempProject(), ".bashrc")
  fs.writeFileSync(victim, "theirs\n")
  return { paths: hivePaths(project), victim }
}

describe("a .hivemind folder that is a link", () => {
  it("is neither written through nor read through by any call", async () => {
    const elsewhere = await tempProject()
    fs.writeFileSync(join(elsewhere, "theirs.md"), "theirs")
    const paths = hivePaths(await tempProject())
    fs.symlinkSync(elsewhere, paths.root)
    const theirs = join(paths.root, "theirs.md")
    expect(() => createText(join(paths.sessions, "a.md"), "x")).toThrow(refusedWrite)
    expect(() => appendText(theirs, "x")).toThrow(refusedWrite)
    expect(() => writeAtomic(theirs, "x")).toThrow(refusedWrite)
    expect(() => moveText(theirs, join(paths.root, "moved.md"))).toThrow(refusedWrite)
    expect(() => removeText(theirs)).toThrow(refusedWrite)
    expect(() => jsonLines(join(paths.injected, "a.jsonl")).append([1])).toThrow(refusedWrite)
    expect(() => readFileSync(theirs)).toThrow(refusedRead)
    await expect(readFile(theirs)).rejects.toThrow(refusedRead)
    await expect(createLayout(dirname(paths.root))).rejects.toThrow(refusedWrite)
    const { log, idle } = openLog(paths, systemSource.now, () => "debug")
    log("error", "x")
    await idle()
    expect(fs.readdirSync(elsewhere)).toEqual(["theirs.md"])
    expect(fs.readFileSync(join(elsewhere, "theirs.md"), "utf8")).toBe("theirs")
  })

  it("is refused where it stays inside of the project too, and where it leads nowhere", async () => {
    const project = await tempProject()
    fs.mkdirSync(join(project, "docs"))
    fs.symlinkSync("docs", join(project, ".hivemind"))
    await expect(createLayout(project)).rejects.toThrow(refusedWrite)
    expect(fs.readdirSync(join(project, "docs"))).toEqual([])
    fs.rmSync(join(project, ".hivemind"))
    fs.symlinkSync("../nowhere", join(project, ".hivemind"))
    await expect(createLayout(project)).rejects.toMatchObject({
      evidence: `${join(project, ".hivemind")} → ${join(project, "..", "nowhere")}`,
    })
  })

  it("is no link where only the project is reached by one", async () => {
    const project = await tempProject()
    const link = join(await tempProject(), "link")
    fs.symlinkSync(project, link)
    await createLayout(link)
    appendText(join(hivePaths(link).sessions, "a.md"), "x")
    expect(readFileSync(join(hivePaths(link).sessions, "a.md"), "utf8")).toBe("x")
  })
})

describe("a file that is a link", () => {
  it("is not appended to, not read, and not created where it leads nowhere", async () => {
    const { paths, victim } = await withVictim()
    const path = join(paths.state, "counts.000001.jsonl")
    fs.symlinkSync(victim, path)
    for (const flags of ["a", "wx"] as const) expect(() => openSync(path, flags)).toThrow(refusedWrite)
    expect(() => readFileSync(path)).toThrow(refusedRead)
    const dangling = join(paths.state, "dangling.jsonl")
    fs.symlinkSync(join(dirname(victim), "new"), dangling)
    expect(() => openSync(dangling, "a")).toThrow(refusedWrite)
    expect(fs.existsSync(join(dirname(victim), "new"))).toBe(false)
    expect(fs.readFileSync(victim, "utf8")).toBe("theirs\n")
  })

  it("is replaced, not followed, by a file that is written in one step", async () => {
    const { paths, victim } = await withVictim()
    fs.symlinkSync(victim, paths.syncMark)
    expect(createAtomic(paths.syncMark, "x")).toBe(false)
    expect(fs.readlinkSync(paths.syncMark)).toBe(victim)
    writeAtomic(paths.syncMark, "ours")
    expect(readFileSync(paths.syncMark, "utf8")).toBe("ours")
    expect(fs.readFileSync(victim, "utf8")).toBe("theirs\n")
  })

  it("is listed, and a folder behind a link is not walked into", async () => {
    const { paths, victim } = await withVictim()
    fs.symlinkSync(dirname(victim), join(paths.sessions, "archive"))
    expect(listTree(paths.sessions)).toEqual([{ path: join(paths.sessions, "archive"), isLink: true }])
    expect(listTree(join(paths.sessions, "archive"))).toEqual([])
  })
})

describe("a hard link", () => {
  it("is not appended to", async () => {
    const { paths, victim } = await withVictim()
    const path = join(paths.log, "000001.jsonl")
    fs.linkSync(victim, path)
    expect(() => openSync(path, "a")).toThrow(
      expect.objectContaining({ code: "not_writable", why: expect.stringContaining("hard link") }),
    )
    expect(fs.readFileSync(victim, "utf8")).toBe("theirs\n")
  })

  it("to the temporary name that a crash left behind is our own", async () => {
    const { paths } = await withVictim()
    const path = join(paths.sessions, "a.md")
    fs.writeFileSync(path, "begun ")
    fs.linkSync(path, `${path}.hivemind-tmp-1-0`)
    appendText(path, "and continued")
    expect(readFileSync(path, "utf8")).toBe("begun and continued")
  })
})
