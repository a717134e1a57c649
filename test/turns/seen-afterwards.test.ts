import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { callSnapshots } from "../../src/turns/call-snapshots.ts"
import { connectedAt } from "../support/connected.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { tempProject } from "../support/temp-project.ts"

/** A repository in which a session is at work on a task, in a folder that has others beside it. */
async function atWork(options: Record<string, unknown> = {}, parents: Record<string, string> = {}) {
  const dir = gitRepo(join(await tempProject(), "project"), {
    "src/a.ts": "a\n",
    "src/b.ts": "b\n",
    ".gitignore": "out/\n.hivemind\n",
  })
  const on = connectedAt(dir, options, parents)
  await on.own("session", { action: "update", level: "action", content: "Write code" })
  return {
    dir,
    ...on,
    put: (path: string, text = "new\n") => {
      mkdirSync(join(dir, path, ".."), { recursive: true })
      writeFileSync(join(dir, path), text)
    },
    /** Title of the task and files of every checkpoint, oldest first. */
    trail: () => {
      const { checkpoint, task } = on.state()
      return [...checkpoint.values()].map(({ task_id, files }) => [task.get(task_id)?.title, ...files])
    },
  }
}

describe("neither held nor seen is", () => {
  it("what git ignores, what lies under .hivemind/, and what lies outside of the project", async () => {
    const { call, put, trail } = await atWork()
    await call({
      tool: "files_put",
      run: () => {
        for (const path of ["out/o.js", ".hivemind/artifacts/n.md", "../beside.txt"]) put(path)
      },
    })
    expect(trail()).toEqual([])
  })

  it("what changes inside a submodule or another repository after the first time", async () => {
    const { call, dir, put, trail } = await atWork()
    gitRepo(join(dir, "inner"), { "x.txt": "x" })
    const module = gitRepo(join(dir, "../module"), { "m.txt": "m" })
    git(dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", module, "sub")
    git(dir, "commit", "-qm", "sub")
    await call({ tool: "files_put" })
    const edit = (text: string) =>
      call({
        tool: "files_put",
        run: () => {
          put("inner/x.txt", text)
          put("sub/m.txt", text)
        },
      })
    await edit("one\n")
    const first = trail()
    await edit("two\n")
    await edit("three\n")
    expect(trail()).toEqual(first)
    expect(first.flat()).not.toContain("inner/x.txt")
    expect(first.flat()).not.toContain("sub/m.txt")
  })

  it("what a program left running changes between two turns", async () => {
    const { bash, call, hivemind, put, trail } = await atWork()
    await bash("node -e 0")
    put("late.ts")
    hivemind.between.turnEnded("ses_1")
    // From here on the turn has been looked at.
    await expect.poll(trail).toEqual([["Write code", "late.ts"]])
    put("src/b.ts", "by a server\n")
    await hivemind.onUserMessage({ session: "ses_1", agent: "build", text: "go on" })
    await call({ tool: "files_put", run: () => put("src/a.ts") })
    expect(trail().slice(1)).toEqual([["Write code", "src/a.ts"]])
  })
})

describe("whose a change is", () => {
  it("of two sessions in one folder, that of the one whose call ended first after it", async () => {
    const { begin, own, put, trail } = await atWork()
    await own("session", { action: "update", level: "action", content: "Other work" }, "ses_2")
    const long = await begin({ tool: "files_put", session: "ses_1" })
    const short = await begin({ tool: "files_put", session: "ses_2" })
    put("src/a.ts", "by the long one\n")
    await short.end()
    put("src/b.ts", "later\n")
    await long.end()
    expect(trail()).toEqual([
      ["Other work", "src/a.ts"],
      ["Write code", "src/b.ts"],
    ])
  })

  it("what a call that runs longer than its turn has changed is seen when the turn ends", async () => {
    const { begin, hivemind, put, trail } = await atWork()
    await begin({ tool: "files_put" })
    put("src/a.ts")
    hivemind.between.turnEnded("ses_1")
    await expect.poll(trail).toEqual([["Write code", "src/a.ts"]])
  })

  it("what a subagent changes belongs to the task it was given, by whatever tool", async () => {
    const { own, call, hivemind, put, bash, trail } = await atWork({}, { ses_child: "ses_1" })
    const { entity_id } = await own("plan", { action: "create", title: "P", acceptance: [] })
    const tasks = [{ title: "Style it", expected_output: "x" }]
    const planned = await own("plan", { action: "plan_tasks", plan_id: entity_id, tasks })
    const task_id = planned.tasks[0].entity_id
    await own("delegate", { action: "assign", task_id, to: "hive-executor" })
    const child = { session: "ses_child", agent: "hive-executor" }
    await hivemind.onUserMessage({ ...child, text: `Do ${task_id}` })
    await call({ tool: "files_put", ...child, run: () => put("src/a.ts") })
    await bash("python3 -c \"open('made.css','w').write('x')\"", child)
    expect(trail()).toEqual([
      ["Style it", "src/a.ts"],
      ["Style it", "made.css"],
    ])
  })
})

describe("a change that should not have been", () => {
  it("stays as it is, and the lock is told in strict too, and not with governance off", async () => {
    for (const governance of ["assisted", "strict", "off"] as const) {
      const { call, dir, own } = await atWork({ governance })
      const { entity_id } = await own("plan", { action: "create", title: "P", acceptance: [] }, "ses_2")
      const tasks = [{ title: "Owns src", expected_output: "x", file_locks: ["src"] }]
      const planned = await own("plan", { action: "plan_tasks", plan_id: entity_id, tasks }, "ses_2")
      await own("task", { action: "start", task_id: planned.tasks[0].entity_id }, "ses_2")
      const { notes } = await call({
        tool: "files_put",
        run: () => appendFileSync(join(dir, "src/a.ts"), "x\n"),
      })
      expect(notes.includes('src/a.ts changed, which "Owns src" has locked'), governance).toBe(
        governance !== "off",
      )
      expect(readFileSync(join(dir, "src/a.ts"), "utf8")).toBe("a\nx\n")
    }
  })
})

it("a formatter and a generator are tied to the task, though their command names no file", async () => {
  const { bash, dir, trail } = await atWork()
  writeFileSync(join(dir, "Makefile"), "all:\n\t@echo made > made.txt\n\t@echo '// a' >> src/a.ts\n")
  execFileSync("git", ["add", "Makefile"], { cwd: dir })
  await bash("node -e 0")
  const before = trail().length
  await bash("make -s all")
  expect(trail().slice(before)).toEqual([["Write code", "made.txt", "src/a.ts"]])
})

it("a file that is marked assume-unchanged is seen as any other", async () => {
  const { call, dir, put, trail } = await atWork()
  git(dir, "update-index", "--assume-unchanged", "src/a.ts")
  await call({ tool: "files_put", run: () => put("src/a.ts") })
  expect(trail()).toEqual([["Write code", "src/a.ts"]])
})

it("without git the tree is scanned so far, and the user is told once that nothing can be restored", async () => {
  const dir = await tempProject()
  for (let folder = 0; folder < 21; folder++) {
    mkdirSync(join(dir, `d${folder}`))
    for (let n = 0; n < 1000; n++) writeFileSync(join(dir, `d${folder}/${n}`), "")
  }
  const log = vi.fn()
  const told: string[] = []
  const tree = callSnapshots(log, (message) => void told.push(message))
  const call = readCall({ id: "c", tool: "files_put", session: "s", agent: "build", args: {} })
  vi.stubEnv("PATH", dir)
  onTestFinished(() => void vi.unstubAllEnvs())
  const hive = { ...memoryHive(), home: dir, dir }
  for (let n = 0; n < 2; n++)
    await tree.begin(hive, { ...call, writes: [], effects: [], discards: [], shell: null })
  expect(told).toEqual([expect.stringMatching(/cannot be restored: there is no git program/)])
  expect(log).toHaveBeenCalledWith("info", expect.stringMatching(/not all changes .* the scan ended after/))
})
