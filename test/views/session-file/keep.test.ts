import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { sessionFiles } from "../../../src/views/session-file/keep.ts"
import { bindSubagent } from "../../../src/work/delegation/run.ts"
import { callTool } from "../../tools/call-tool.ts"
import { toldSession } from "./told-session.ts"

describe("a session's file", () => {
  it("is made from the template, and its log tells what the session did, one line for each entry", async () => {
    const { call, save, keep, read, told, stamp, hive } = await toldSession()
    const { entity_id } = await call("plan", {
      action: "create",
      title: "Login",
      acceptance: ["works"],
      phases: ["Build", "Ship"],
    })
    const titles = ["Form", "Route", "Tests", "Docs"]
    await call("plan", {
      action: "plan_tasks",
      plan_id: entity_id,
      tasks: titles.map((title) => ({ title, expected_output: "x", phase: "Build" })),
    })
    const form = [...hive.store.read().state.task.values()].find(({ title }) => title === "Form")
    await call("task", { action: "start", task_id: form?.id })
    await save("Use jose")
    await call("task", { action: "complete", evidence: "seen" })
    await keep()
    expect(read()).toContain(`stamp: "${stamp}"\nsession: ses_1\nmode: plan_driven\nagent: build\n`)
    expect(read()).toContain(
      `# Session ${stamp}\n\nAdd a login page\n\n## Hierarchy\n\nNowhere in the plans yet.`,
    )
    expect(told()).toEqual([
      'began: "Add a login page"',
      'made the plan "Login"; made 2 phases: "Build", "Ship"',
      'planned 4 tasks: "Form", "Route", "Tests" and 1 more',
      'started the task "Form"',
      'noted the insight "Use jose"',
      'completed the task "Form"',
    ])
  })

  it("grows by what is new, and not at all where nothing is", async () => {
    const { save, keep, read, forget } = await toldSession()
    await keep()
    const first = read()
    await keep()
    forget()
    await keep()
    expect(read()).toBe(first)
    await save("More")
    await keep()
    expect(read().startsWith(first)).toBe(true)
    expect(read().slice(first.length)).toMatch(/^- \d\d:\d\d noted the insight "More" <!-- \S+ \S+ -->\n$/)
  })

  it("is not made for a session that HiveMind has no record of", async () => {
    const { keep, hive, list } = await toldSession()
    await keep()
    await hive.store.append({ tool: "test", session: "ses_other", agent: null }, (tx) =>
      tx.count("ses_other", "calls"),
    )
    await sessionFiles(() => {}).keep(hive, "ses_other")
    expect(list()).toHaveLength(1)
  })

  it("that was deleted comes back with the same lines, also after folds and a restart", async () => {
    const { save, keep, read, path, stamp, hive, forget } = await toldSession()
    for (let n = 0; n < 3; n++) {
      await save(`Mem ${n}`)
      await keep()
      await hive.store.fold()
    }
    const before = read()
    rmSync(path(`${stamp}.md`))
    forget()
    await keep()
    expect(read()).toBe(before)
  })

  it("comes back equal also when the intent and the mode have changed since, and so does a part in the archive", async () => {
    const { call, keep, read, path, forget, compact, list } = await toldSession()
    await keep()
    await call("session", { action: "start", intent: "Mend the shop", mode: "quick_fix" })
    await keep()
    await compact()
    await call("session", { action: "start", intent: "Write it down", mode: "exploration" })
    await keep()
    const files = list()
    const before = files.map((name) => read(name))
    expect(before[0]).toContain("mode: quick_fix")
    expect(before[0]).toContain("\n\nMend the shop\n")
    expect(before[1]).toContain("mode: plan_driven")
    expect(before[1]).toContain("\n\nAdd a login page\n")
    for (const name of files) rmSync(path(name))
    forget()
    await keep()
    expect(files.map((name) => read(name))).toEqual(before)
  })

  it("whose session had no intent at first shows the first one it got", async () => {
    const { hive, path, list } = await toldSession()
    const child = { session: "ses_2", agent: "general", tool: "chat.message" }
    await bindSubagent(hive, child, { session: "ses_1", agent: "build" }, "go")
    for (const intent of ["Look around", "Look away"])
      await callTool(hive, "session", { action: "start", intent }, "ses_2")
    await sessionFiles(() => {}).keep(hive, "ses_2")
    expect(list()).toHaveLength(1)
    expect(readFileSync(path(String(list()[0])), "utf8")).toContain("\n\nLook around\n\n## Hierarchy")
  })

  it("tells of what folds have moved to the history meanwhile, read once", async () => {
    const { save, keep, told, hive } = await toldSession()
    await keep()
    await save("Before two folds")
    for (let n = 0; n < 3; n++) {
      await hive.store.append({ tool: "test", session: null, agent: null }, (tx) =>
        tx.count("ses_x", "calls"),
      )
      await hive.store.fold()
    }
    expect(hive.store.log("recent").some(({ by }) => by.session === "ses_1")).toBe(false)
    await keep()
    expect(told()).toContain('noted the insight "Before two folds"')
    const asked: unknown[] = []
    const { log } = hive.store
    hive.store.log = (which) => {
      asked.push(which)
      return log(which)
    }
    await keep()
    expect(asked).toEqual(["recent"])
  })
})

describe("an outside edit", () => {
  it("is kept, noticed once in the file, the counters and the log, and nothing is lost", async () => {
    const { save, keep, read, path, stamp, told, edits, log, forget } = await toldSession()
    await save("One")
    await keep()
    const edited = read().replace("## Notes\n", "## Notes\n\nMine: call Ann.\n").replace("One", "0ne")
    writeFileSync(path(`${stamp}.md`), edited)
    await save("Two")
    await keep()
    expect(read().startsWith(edited)).toBe(true)
    expect(told().slice(-2)).toEqual([
      'noted the insight "Two"',
      "found the session file changed by somebody else; nothing of that was touched",
    ])
    expect(edits()).toBe(1)
    expect(log.mock.calls).toEqual([
      ["info", expect.stringContaining(`${stamp}.md was changed by somebody else`)],
    ])
    const noticed = read()
    forget()
    await keep()
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
  it.each(edits)("%s: kept, noticed, and every entry is told", async (_, edit) => {
    const { save, keep, path, read, stamp, edits: counted, hive } = await toldSession()
    await save("One")
    await save("Two")
    await keep()
    const edited = Buffer.from(edit(read()))
    writeFileSync(path(`${stamp}.md`), edited)
    await keep()
    expect(counted()).toBe(1)
    const after = readFileSync(path(`${stamp}.md`))
    expect(after.subarray(0, edited.length)).toEqual(edited)
    const isOpen = edited.length > 0 && edited.at(-1) !== "\n".charCodeAt(0)
    expect(after.subarray(edited.length).toString()).toMatch(isOpen ? /^\n(- .* -->\n)+$/ : /^(- .* -->\n)+$/)
    for (const { id } of hive.store.log()) expect(after.toString()).toContain(`<!-- ${id} `)
    await keep()
    expect(counted()).toBe(1)
  })

  it("that was noticed before a crash is not counted twice", async () => {
    const { keep, path, read, stamp, edits: counted, told, forget, hive } = await toldSession()
    await keep()
    writeFileSync(path(`${stamp}.md`), `${read()}A note\n`)
    await hive.store.append({ tool: "session file", session: "ses_1", agent: null }, (tx) =>
      tx.count("ses_1", "outside_edits"),
    )
    forget()
    await keep()
    expect(counted()).toBe(1)
    expect(told().at(-1)).toContain("changed by somebody else")
  })

  it("that takes an earlier notice out is noticed itself", async () => {
    const { keep, path, read, stamp, edits: counted } = await toldSession()
    await keep()
    const old = read()
    writeFileSync(path(`${stamp}.md`), `${old}A note\n`)
    await keep()
    writeFileSync(path(`${stamp}.md`), `${old}Another note\n`)
    await keep()
    expect(counted()).toBe(2)
    expect(read().match(/changed by somebody else/g)).toHaveLength(2)
  })

  it("a folder in its place is refused in clear words, and the lines come once it is gone", async () => {
    const { keep, save, path, stamp, told } = await toldSession()
    mkdirSync(path(`${stamp}.md`), { recursive: true })
    await save("Kept")
    await expect(keep()).rejects.toMatchObject({
      code: "not_writable",
      use_instead: expect.stringContaining(`${stamp}.md`),
    })
    rmSync(path(`${stamp}.md`), { recursive: true })
    await keep()
    expect(told()).toEqual(['began: "Add a login page"', 'noted the insight "Kept"'])
  })
})

describe("the archive", () => {
  it("takes in what a compaction closed off; a new file begins with a line about it", async () => {
    const { keep, save, call, compact, stamp, told, read, list } = await toldSession()
    await call("session", { action: "update", level: "trajectory", content: "Login" })
    await keep()
    const before = read()
    await save("Just before")
    await compact()
    await keep()
    expect(list()).toEqual([`${stamp}.md`, `archive/compacted/${stamp}-1.md`])
    expect(read(`archive/compacted/${stamp}-1.md`).startsWith(before)).toBe(true)
    expect(told(`archive/compacted/${stamp}-1.md`).at(-1)).toBe('noted the insight "Just before"')
    expect(told()).toEqual(["compacted; before this: archive/compacted, part 1"])
    expect(read()).toContain('## Hierarchy\n\n- plan "Login"\n')
    await save("After")
    await compact()
    await save("At last")
    await keep()
    expect(told(`archive/compacted/${stamp}-2.md`)).toEqual([
      "compacted; before this: archive/compacted, part 1",
      'noted the insight "After"',
    ])
    expect(told()).toEqual([
      "compacted; before this: archive/compacted, part 2",
      'noted the insight "At last"',
    ])
  })

  it("gets a part back that was deleted, with the same lines", async () => {
    const { keep, save, compact, stamp, read, path, forget, edits: counted } = await toldSession()
    for (const word of ["One", "Two", "Three"]) {
      await save(word)
      await keep()
      await compact()
      await keep()
    }
    const part = `archive/compacted/${stamp}-2.md`
    const before = read(part)
    rmSync(path(part))
    forget()
    await keep()
    expect(read(part)).toBe(before)
    expect(counted()).toBe(0)
  })

  it("keeps the part before it, where somebody takes the first line out of the new file", async () => {
    const { keep, save, compact, stamp, read, path, told } = await toldSession()
    await compact()
    await save("After")
    await keep()
    const archived = read(`archive/compacted/${stamp}-1.md`)
    writeFileSync(path(`${stamp}.md`), read().replace(/^- .*compacted.*\n/m, ""))
    await keep()
    expect(read(`archive/compacted/${stamp}-1.md`)).toBe(archived)
    expect(told()).toContain("compacted; before this: archive/compacted, part 1")
  })

  it("has the file of a closed session, and gives it back when the session is taken up again", async () => {
    const { keep, call, stamp, list, told, read } = await toldSession()
    await keep()
    await call("session", { action: "close", summary: "Done" })
    await keep()
    expect(list()).toEqual([`archive/${stamp}.md`])
    expect(told(`archive/${stamp}.md`)).toEqual(['began: "Add a login page"', 'closed: "Done"'])
    const closed = read(`archive/${stamp}.md`)
    await call("session", { action: "start", intent: "Mend the login page" })
    await keep()
    expect(list()).toEqual([`${stamp}.md`])
    expect(read().startsWith(closed)).toBe(true)
    expect(told().at(-1)).toBe('taken up again; a new intent: "Mend the login page"')
  })
})
