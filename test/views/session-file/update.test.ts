import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Store } from "../../../src/store/store.ts"
import { defined } from "../../support/defined.ts"
import { aMem } from "../../support/records.ts"
import { sessionWithFile } from "./session-with-file.ts"

describe("a session's file", () => {
  it("is made from the template, with one log line for each entry", async () => {
    const { call, save, update, read, words, stamp, hive } = await sessionWithFile()
    const created = { action: "create", title: "Login", acceptance: ["works"], phases: ["Build", "Ship"] }
    const { entity_id: plan_id } = await call("plan", created)
    const titles = ["Form", "Route", "Tests", "Docs"]
    const tasks = titles.map((title) => ({ title, expected_output: "x", phase: "Build" }))
    await call("plan", { action: "plan_tasks", plan_id, tasks })
    const form = [...hive.store.read().state.task.values()].find(({ title }) => title === "Form")
    await call("task", { action: "start", task_id: form?.id })
    await save("Use jose")
    await call("task", { action: "complete", evidence: "seen" })
    await update()
    expect(read()).toContain(`stamp: "${stamp}"\nsession: ses_1\nmode: plan_driven\nagent: build\n`)
    expect(read()).toContain(
      `# Session ${stamp}\n\nAdd a login page\n\n## Hierarchy\n\n- plan "Login"\n  - phase "Build"\n`,
    )
    expect(words()).toEqual([
      "a session began: Add a login page",
      "made the plan “Login”; made the phase “Build”, “Ship”",
      "planned “Form”, “Route”, “Tests” and 1 more",
      "started “Form”",
      "learned: Use jose",
      "finished “Form”",
    ])
  })

  it("is only appended to, and unchanged without new entries", async () => {
    const { save, update, read, restart } = await sessionWithFile()
    await update()
    const first = read()
    await update()
    restart()
    await update()
    expect(read()).toBe(first)
    await save("More")
    await update()
    expect(read().startsWith(first)).toBe(true)
    expect(read().slice(first.length)).toMatch(/^- \d\d:\d\d learned: More <!-- \S+ \S+ -->\n$/)
  })

  it("is written again with the same lines after it was deleted, also after folds and a restart", async () => {
    const { save, update, read, path, stamp, hive, restart } = await sessionWithFile()
    for (let n = 0; n < 3; n++) {
      await save(`Mem ${n}`)
      await update()
      await hive.store.fold()
    }
    const before = read()
    rmSync(path(`${stamp}.md`))
    restart()
    await update()
    expect(read()).toBe(before)
  })

  it("is written again with the present intent and mode", async () => {
    const { call, update, read, path, restart, stamp } = await sessionWithFile()
    await update()
    await call("session", { action: "start", intent: "Write it down", mode: "exploration" })
    await update()
    rmSync(path(`${stamp}.md`))
    restart()
    await update()
    expect(read()).toMatch(/mode: exploration[\s\S]*\n\nWrite it down\n/)
  })

  it("has lines for entries from before a fold, and then reads only new entries", async () => {
    const { save, update, words, hive } = await sessionWithFile()
    await update()
    await save("Before two folds")
    for (let n = 0; n < 3; n++) {
      await hive.store.append({ tool: "test", session: null, agent: null }, (tx) =>
        tx.add("mem", aMem(500 + n)),
      )
      expect(await hive.store.fold()).toMatchObject({ folded: true })
    }
    await update()
    expect(words()).toContain("learned: Before two folds")
    const asked: unknown[] = []
    const log: Store["log"] = (which) => {
      asked.push(which)
      return hive.store.log(which)
    }
    await update({ ...hive, store: { ...hive.store, log } })
    const { at } = defined((await hive.store.log({ naming: "ses_1" })).at(-1))
    // A minute is left for the clocks of other processes.
    expect(asked).toEqual([{ since: new Date(Date.parse(at) - 60_000).toISOString(), naming: "ses_1" }])
  })
})

describe("an outside edit", () => {
  it("is kept and reported once in the file, the counters and the log", async () => {
    const { save, update, read, path, stamp, words, edits, log, restart } = await sessionWithFile()
    await save("One")
    await update()
    const edited = read().replace("## Notes\n", "## Notes\n\nMine: call Ann.\n").replace("One", "0ne")
    writeFileSync(path(`${stamp}.md`), edited)
    await save("Two")
    await update()
    expect(read().startsWith(edited)).toBe(true)
    expect(words().slice(-2)).toEqual([
      "learned: Two",
      "found an outside edit of the session file; it was kept",
    ])
    expect(edits()).toBe(1)
    expect(log.mock.calls).toEqual([["info", expect.stringContaining(`${stamp}.md was edited outside`)]])
    const noticed = read()
    restart()
    await update()
    expect(read()).toBe(noticed)
    expect(edits()).toBe(1)
  })

  const edits: [string, (file: string) => string | Buffer][] = [
    ["an old copy saved over ours, with a word more", (file) => `${file.split("- ")[0]}My word.\n`],
    ["Windows line ends", (file) => file.replaceAll("\n", "\r\n")],
    ["no newline at the end", (file) => file.trimEnd()],
    ["a note behind the last line", (file) => `${file}A note`],
    ["cut off in the middle of a line", (file) => file.slice(0, -30)],
    ["cut off behind a line", (file) => `${file.trimEnd().split("\n").slice(0, -1).join("\n")}\n`],
    ["emptied", () => ""],
    ["bytes that are no text", (file) => Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(file)])],
    [
      "a line copied into the notes",
      (file) => file.replace("## Log", `${file.trimEnd().split("\n").at(-1)}\n## Log`),
    ],
  ]
  it.each(edits)("%s: kept, noticed, and every entry has a line", async (_, edit) => {
    const { save, update, path, read, stamp, edits: counted, hive } = await sessionWithFile()
    await save("One")
    await save("Two")
    await update()
    const edited = Buffer.from(edit(read()))
    writeFileSync(path(`${stamp}.md`), edited)
    await update()
    expect(counted()).toBe(1)
    const after = readFileSync(path(`${stamp}.md`))
    expect(after.subarray(0, edited.length)).toEqual(edited)
    const isOpen = edited.length > 0 && edited.at(-1) !== "\n".charCodeAt(0)
    expect(after.subarray(edited.length).toString()).toMatch(isOpen ? /^\n(- .* -->\n)+$/ : /^(- .* -->\n)+$/)
    for (const { id } of await hive.store.log()) expect(after.toString()).toContain(`<!-- ${id} `)
    await update()
    expect(counted()).toBe(1)
  })

  it("reported before a crash is not counted twice", async () => {
    const { update, path, read, stamp, edits: counted, words, restart, hive } = await sessionWithFile()
    await update()
    writeFileSync(path(`${stamp}.md`), `${read()}A note\n`)
    await hive.store.append({ tool: "session file", session: "ses_1", agent: null }, (tx) =>
      tx.recordOutsideEdit("ses_1"),
    )
    restart()
    await update()
    expect(counted()).toBe(1)
    expect(words().at(-1)).toContain("found an outside edit")
  })

  it("a folder in place of the file is an error; the lines follow once it is gone", async () => {
    const { update, save, path, stamp, words } = await sessionWithFile()
    mkdirSync(path(`${stamp}.md`), { recursive: true })
    await save("Kept")
    await expect(update()).rejects.toMatchObject({
      code: "not_readable",
      use_instead: expect.stringContaining(`${stamp}.md`),
    })
    rmSync(path(`${stamp}.md`), { recursive: true })
    await update()
    expect(words()).toEqual(["a session began: Add a login page", "learned: Kept"])
  })
})

it("the archive has the file of a closed session until the session is resumed", async () => {
  const { update, call, stamp, list, words, read } = await sessionWithFile()
  await update()
  await call("session", { action: "close", summary: "Done" })
  await update()
  expect(list()).toEqual([`archive/${stamp}.md`])
  expect(words(`archive/${stamp}.md`)).toEqual([
    "a session began: Add a login page",
    "the session was closed: Done",
  ])
  const closed = read(`archive/${stamp}.md`)
  await call("session", { action: "start", intent: "Mend the login page" })
  await update()
  expect(list()).toEqual([`${stamp}.md`])
  expect(read().startsWith(closed)).toBe(true)
  expect(words().at(-1)).toBe("the session was resumed; the new intent: Mend the login page")
})
