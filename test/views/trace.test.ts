import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { trace, traceCommits } from "../../src/views/trace.ts"
import { recordCheckpoint } from "../../src/work/task/checkpoint.ts"
import { git } from "../support/git-repo.ts"
import { makeTeam } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"
import { sessionWithFile } from "./session-file/session-with-file.ts"

function commit(dir: string, ...messages: string[]): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: dir, stdio: "ignore" })
  git("init", "--initial-branch", "main")
  for (const message of messages)
    git("-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--allow-empty", "-m", message)
}

function writeExport(dir: string, name: string, value: object): void {
  const folder = join(dir, ".hivemind", "sessions", "archive", "exports")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), JSON.stringify(value, null, 2))
}

describe("a trace", () => {
  it("has a session's records, log, files, exports and commits by time", async () => {
    const { hive, update, save, call, compact, stamp } = await sessionWithFile()
    await call("session", { action: "update", level: "action", content: "Build login" })
    await save("Use jose")
    await compact()
    await update()
    await call("session", { action: "close", summary: "Done" })
    await update()
    commit(hive.dir, "start", `[${stamp}] login page\n\nwith a form`, `Not this: ${stamp}-2`)
    const exported_at = "2026-02-11T15:00:00.000Z"
    writeExport(hive.dir, "a.json", { exported_at, session: { stamp } })
    writeExport(hive.dir, "b.json", { exported_at, session: { stamp: `${stamp}-2` } })

    const { hits, left_out, notes } = await trace(hive, stamp)
    expect({ left_out, notes }).toEqual({ left_out: {}, notes: [] })
    const of = (source: string) =>
      hits
        .filter((hit) => hit.source === source)
        .map(({ where, text }) => `${where.replace(/ [0-9a-f]+$/, "")} ${text}`)
    expect(of("graph")).toEqual(
      expect.arrayContaining([
        'session "Add a login page" (closed)',
        'plan "Add a login page" (active)',
        'task "Build login" (active)',
        'mem "Use jose" (active)',
      ]),
    )
    expect(of("log")).toEqual([
      "entry a session began: Add a login page",
      "entry made the plan “Add a login page”; started “Build login”",
      "entry learned: Use jose",
      "entry compacted",
      "entry the session was closed: Done",
    ])
    expect(of("file")).toEqual([
      `sessions/archive/${stamp}.md:2 stamp: "${stamp}"`,
      `sessions/archive/${stamp}.md:9 # Session ${stamp}`,
    ])
    expect(of("export")).toEqual(["sessions/archive/exports/a.json:4 an export of the session"])
    expect(of("git")).toEqual([`commit [${stamp}] login page with a form`])
    const times = hits.map(({ at }) => at ?? "")
    expect(times).toEqual([...times].sort())
    expect(times).not.toContain("")
  })

  it("of a task has its sub-tasks, mems and checkpoints", async () => {
    const { hive, call, save } = await sessionWithFile()
    const later = () => {
      hive.source.seconds += 120
    }
    later()
    await call("session", { action: "update", level: "action", content: "Build login" })
    const [task] = hive.store.read().state.task.values()
    if (task === undefined) throw new Error("no task")
    await save("Use jose")
    later()
    const part = { title: "The form", expected_output: "x", parent_task_id: task.id }
    await call("plan", { action: "plan_tasks", plan_id: task.parent_plan_id, tasks: [part] })
    const wrote = { tool: "write", summary: "wrote a file", files: [], command: null, ok: true }
    await recordCheckpoint(hive, { session: "ses_1", agent: null, tool: "tool write" }, task, wrote)
    const { hits, notes } = await trace(hive, task.stamp)
    const texts = hits.map(({ text }) => text)
    // There is no repository.
    expect(notes).toEqual([expect.stringContaining("git")])
    const told = ['"Build login" (active)', '"Use jose" (active)', '"The form" (planned)', '"wrote a file"']
    expect(texts).toEqual(expect.arrayContaining(told))
    // The session began in another minute.
    expect(texts.filter((text) => text.includes("began"))).toEqual([])
  })

  it("matches exactly, also the shorter stamps of old files", async () => {
    const { hive } = await sessionWithFile()
    const folder = join(hive.dir, ".hivemind", "sessions", "archive")
    mkdirSync(folder, { recursive: true })
    const old = "3014110226"
    const lines = [`t_${old} root`, `${old}0 longer`, `9${old}`, `${old}-2 second`, `a${old}`, `see ${old}.`]
    writeFileSync(join(folder, "old.md"), lines.join("\n"))
    const { hits } = await trace(hive, old)
    expect(hits.map(({ where, at }) => ({ where, at }))).toEqual([
      { where: "sessions/archive/old.md:1", at: null },
      { where: "sessions/archive/old.md:6", at: null },
    ])
    expect((await trace(hive, `${old}-2`)).hits.map(({ where }) => where)).toEqual([
      "sessions/archive/old.md:4",
    ])
  })

  it("finds a commit among thousands with another stamp of that minute", async () => {
    const { hive, stamp } = await sessionWithFile()
    commit(hive.dir, `[${stamp}] the one`)
    const others = Array.from({ length: 1200 }, (_, n) => {
      const message = `commit ${n} [${stamp}-2]`
      const from = n === 0 ? "from refs/heads/main^0\n" : ""
      return `commit refs/heads/main\ncommitter x <x@x> ${2_000_000_000 + n} +0000\ndata ${message.length}\n${message}\n${from}`
    })
    execFileSync("git", ["fast-import", "--quiet"], { cwd: hive.dir, input: others.join("") })
    const git = (await trace(hive, stamp)).hits.filter(({ source }) => source === "git")
    expect(git.map(({ text }) => text)).toEqual([`[${stamp}] the one`])
    const second = await trace(hive, `${stamp}-2`)
    expect(second.left_out.git).toBe(800)
    expect(second.notes).toEqual([expect.stringContaining("1000")])
  })

  it.each(["", "today", "301411022", "1234567890123", "301411022026-", "-n", "30141102202x"])(
    "refuses %j, which is no stamp",
    async (wrong) => {
      const { hive } = await sessionWithFile()
      await expect(trace(hive, wrong)).rejects.toMatchObject({ code: "invalid_argument" })
    },
  )

  it("is bounded for each source, and counts what is left out", async () => {
    const { hive, save, update, stamp } = await sessionWithFile()
    for (let n = 0; n < 230; n++) await save(`Thing number ${n} that was noticed ${"and noted ".repeat(20)}`)
    await update()
    commit(hive.dir, `[${stamp}] all of it`)
    const found = await trace(hive, stamp)
    expect(found.left_out).toEqual({ log: 31, graph: 31 })
  })
})

it("finds commits of all branches, remotes and worktrees, but not of HiveMind's log", async () => {
  const root = await tempProject()
  const { anna, bert } = makeTeam(root)
  const stamp = "301411022026"
  const commit = (dir: string, what: string) =>
    git(dir, "commit", "-q", "--allow-empty", "-m", `${what} [${stamp}]`)
  git(anna, "switch", "-q", "-c", "side")
  commit(anna, "on a side branch")
  git(anna, "worktree", "add", "-q", join(root, "linked"), "-b", "third")
  commit(join(root, "linked"), "in a linked worktree")
  git(anna, "switch", "-q", "-")
  git(anna, "checkout", "-q", "--detach")
  git(bert, "switch", "-q", "-c", "theirs", "origin/main")
  commit(bert, "at the remote")
  git(bert, "push", "-q", "origin", "theirs")
  git(anna, "fetch", "-q")
  const tree = git(anna, "rev-parse", "HEAD^{tree}")
  git(anna, "update-ref", LOG_REF, git(anna, "commit-tree", tree, "-m", `log [${stamp}]`))
  const { commits } = await traceCommits(anna, stamp, new RegExp(stamp))
  expect(commits.map(({ text }) => text.replace(/ \[.*/, "")).sort()).toEqual([
    "at the remote",
    "in a linked worktree",
    "on a side branch",
  ])
})
