import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { openSnapshots } from "../../src/snapshots/snapshots.ts"
import { DEFAULT_LIMITS } from "../../src/snapshots/take-snapshot.ts"
import { callSnapshots } from "../../src/turns/call-snapshots.ts"
import { carryOut, planRestore } from "../../src/work/restore/restore.ts"
import { connectedAt } from "../support/connected.ts"
import { trials } from "../support/effort.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { tempProject } from "../support/temp-project.ts"

const STRICT = { governance: "strict" }

/** A repository with HiveMind at work on a task. */
async function atWork(options: Record<string, unknown> = {}) {
  const dir = gitRepo(await tempProject(), { "src/a.ts": "a\n", "src/b.ts": "b\n", "c.txt": "c\n" })
  const on = connectedAt(dir, options)
  await on.own("session", { action: "update", level: "action", content: "Write code" })
  return {
    dir,
    ...on,
    write: (path: string, text = "new\n") => {
      mkdirSync(join(dir, path, ".."), { recursive: true })
      writeFileSync(join(dir, path), text)
    },
    /** Every checkpoint's tool and files, oldest first. */
    trail: () => [...on.state().checkpoint.values()].map(({ tool, files }) => [tool, ...files]),
  }
}

describe("changes of calls are in checkpoints", () => {
  it("of scripts, redirections, generators and unknown tools", async () => {
    const { bash, trail } = await atWork()
    const commands: [string, ...string[]][] = [
      [
        "python3 - <<'PY'\nfrom pathlib import Path\np=Path('src/a.ts'); p.write_text(p.read_text()+'x')\nPY",
        "src/a.ts",
      ],
      ["python3 -c \"import os; os.rename('c.txt','d.txt')\"", "c.txt", "d.txt"],
      ["node -e \"require('fs').writeFileSync('n.js','1')\"", "n.js"],
      ["perl -pi -e 's/b/B/' src/b.ts", "src/b.ts"],
      ["for f in one two; do awk 'BEGIN{print 1}' > gen-$f.txt; done", "gen-one.txt", "gen-two.txt"],
      ["find src -name '*.ts' -exec sed -i 's/$/;/' {} +", "src/a.ts", "src/b.ts"],
      ["printf 'x\\n' | tee tee.txt >/dev/null; false", "tee.txt"],
      ["git stash -q", "c.txt", "src/a.ts", "src/b.ts"],
      ["git stash pop -q", "c.txt", "src/a.ts", "src/b.ts"],
      ["rm n.js", "n.js"],
    ]
    for (const [command] of commands) await bash(command)
    const changed = trail().map(([, ...files]) => files)
    expect(changed.filter((files) => files.length > 0)).toEqual(
      commands.map(([, ...files]) => files).map((files) => [...files].sort()),
    )
  })

  it("of Python's ways to change files", async () => {
    const { bash, trail } = await atWork()
    const snippets: [string, ...string[]][] = [
      ["from pathlib import Path; Path('p1.txt').write_text('x')", "p1.txt"],
      ["with open('p2.txt', 'w') as f: f.write('x')", "p2.txt"],
      ["import json; json.dump({}, open('p3.json', 'w'))", "p3.json"],
      ["import re; t = open('c.txt').read(); open('c.txt', 'w').write(re.sub('c', 'C', t))", "c.txt"],
      [
        "import fileinput\nfor line in fileinput.input('c.txt', inplace=True): print(line.upper() + '!')",
        "c.txt",
      ],
      ["import shutil; shutil.copy('c.txt', 'p4.txt')", "p4.txt"],
      ["import shutil; shutil.move('p4.txt', 'p5.txt')", "p4.txt", "p5.txt"],
      [
        "import os, tempfile; fd, n = tempfile.mkstemp(dir='.'); os.write(fd, b'y'); os.replace(n, 'p1.txt')",
        "p1.txt",
      ],
      ["import subprocess; subprocess.run(['sh', '-c', 'echo y > p6.txt'])", "p6.txt"],
      ["from pathlib import Path; [p.unlink() for p in Path('.').glob('p[23].*')]", "p2.txt", "p3.json"],
      ["name = 'p' + str(7); exec(\"open(name, 'w').write('x')\")", "p7"],
      ["import os; os.makedirs('deep/er'); os.link('c.txt', 'deep/er/l.txt')", "deep/er/l.txt"],
    ]
    const tried = snippets.slice(0, trials(4, snippets.length))
    for (const [code] of tried) await bash(`python3 - <<'PY'\n${code}\nPY`)
    expect(trail().map(([, ...files]) => files)).toEqual(tried.map(([, ...files]) => files))
  })

  it("of the host's tools once; a later change by another call again", async () => {
    const { call, bash, dir, write, trail } = await atWork()
    const filePath = join(dir, "src/a.ts")
    await call({ tool: "write", args: { filePath, content: "" }, run: () => write("src/a.ts", "one") })
    await bash("node -e 0")
    await bash("echo two >> src/a.ts")
    expect(trail()).toEqual([
      ["write", "src/a.ts"],
      ["bash", "src/a.ts"],
    ])
  })

  it("of parallel calls, each file once", async () => {
    const { begin, write, trail, dir } = await atWork()
    const named = await begin({ tool: "write", args: { filePath: join(dir, "named.txt"), content: "" } })
    const bash = await begin({ tool: "bash", args: { command: "node make.js" } })
    write("named.txt")
    write("made.txt")
    await bash.end()
    await named.end()
    expect(trail()).toEqual([
      ["bash", "made.txt"],
      ["write", "named.txt"],
    ])
  })

  it("after the last call of a turn", async () => {
    const { bash, hivemind, write, state } = await atWork()
    await bash("echo x >> src/a.ts")
    write("late.txt")
    hivemind.between.turnEnded("ses_1")
    await expect
      .poll(() => [...state().checkpoint.values()].map(({ files }) => files))
      .toEqual([["src/a.ts"], ["late.txt"]])
  })

  it("not the user's changes between turns", async () => {
    const { bash, hivemind, write, trail } = await atWork()
    await bash("echo x >> src/a.ts")
    write("by-hand.txt")
    await hivemind.onUserMessage({ session: "ses_1", agent: "build", text: "go on" })
    await bash("echo x >> src/b.ts")
    expect(trail()).toEqual([
      ["bash", "src/a.ts"],
      ["bash", "src/b.ts"],
    ])
  })

  it("without git too", async () => {
    const dir = await tempProject()
    writeFileSync(join(dir, "a.txt"), "a")
    const { own, bash, state } = connectedAt(dir)
    await own("session", { action: "update", level: "action", content: "Write code" })
    await bash("python3 -c \"open('a.txt','a').write('b'); open('b.txt','w').write('b')\"")
    expect([...state().checkpoint.values()].map(({ files }) => files)).toEqual([["a.txt", "b.txt"]])
  })
})

describe("a call that cannot write", () => {
  it("takes no snapshot", async () => {
    const { call, bash, write, trail } = await atWork()
    await bash("echo x >> src/a.ts")
    write("unseen.txt")
    await call({ tool: "read", args: { filePath: "src/a.ts" } })
    await call({ tool: "grep", args: { pattern: "x" } })
    await bash("ls -la")
    expect(trail()).toEqual([["bash", "src/a.ts"]])
    await bash("node -e 0")
    expect(trail().at(-1)).toEqual(["bash", "unseen.txt"])
  })
})

describe("a change that no task covers", () => {
  it("is told to the model and the user by file in strict", async () => {
    const dir = gitRepo(await tempProject(), { "a.txt": "a\n" })
    const { call, toasts } = connectedAt(dir, STRICT)
    const put = (path: string) => call({ tool: "files_put", run: () => appendFileSync(join(dir, path), "x") })
    const { notes } = await put("a.txt")
    expect(notes).toContain("a.txt changed, and no task covers it")
    expect(toasts.join()).toContain("a.txt changed")
    expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("a\nx")
    expect((await call({ tool: "files_put" })).notes).toBe("")
  })

  it("at the end of a turn is told with the next result", async () => {
    const { call, write, own, hivemind, toasts } = await atWork(STRICT)
    await call({ tool: "files_put" })
    await own("task", { action: "fail", reason: "no" })
    write("late.txt")
    hivemind.between.turnEnded("ses_1")
    await expect.poll(() => toasts.join()).toContain("late.txt")
    expect((await call({ tool: "read", args: {} })).notes).toContain("late.txt")
    expect((await call({ tool: "read", args: {} })).notes).toBe("")
  })

  it("tells a role that wrote outside its scope", async () => {
    const { call, write } = await atWork()
    const put = (agent: string, path: string) =>
      call({ tool: "files_put", agent, run: () => write(path) }).then(({ notes }) => notes)
    expect(await put("hive-coordinator", "src/a.ts")).toContain(
      "src/a.ts changed, which hive-coordinator may not write",
    )
    expect(await put("hive-investigator", "src/b.ts")).toContain("which hive-investigator may not write")
    expect(await put("hive-executor", "src/c.ts")).toBe("")
    expect(await put("build", "src/d.ts")).toBe("")
  })

  it("tells a change of a file locked by another task, in every mode", async () => {
    const { call, write, own, state } = await atWork()
    const { entity_id } = await own("plan", { action: "create", title: "P", acceptance: [] }, "ses_2")
    const task = { title: "Owns src", expected_output: "x", file_locks: ["src"] }
    await own("plan", { action: "plan_tasks", plan_id: entity_id, tasks: [task] }, "ses_2")
    const id = [...state().task.values()].find(({ title }) => title === "Owns src")?.id
    await own("task", { action: "start", task_id: id }, "ses_2")
    const { notes } = await call({ tool: "files_put", run: () => write("src/a.ts") })
    expect(notes).toContain('src/a.ts changed, which "Owns src" has locked')
  })
})

it("tells once that a script deleted the user's uncommitted work, which can be restored", async () => {
  const dir = gitRepo(await tempProject(), { "a.txt": "a\n", ".gitignore": ".env\n" })
  for (const [path, text] of Object.entries({
    "notes.md": "mine\n",
    ".env": "KEY=1\n",
    "a.txt": "changed\n",
  }))
    writeFileSync(join(dir, path), text)
  const { own, bash, hivemind, toasts } = connectedAt(dir)
  await own("session", { action: "update", level: "action", content: "Clean up" })
  const script = "import os; os.remove('notes.md'); os.remove('.env'); open('a.txt','w').write('lost')"
  writeFileSync(join(dir, "clean.py"), script)
  const { notes } = await bash("python3 clean.py")
  expect(notes).toContain("deleted notes.md, .env and overwrote a.txt")
  const id = /hivemind restore (S\d+)/.exec(notes)?.[1] ?? ""
  expect(toasts.join()).toContain(`hivemind restore ${id}`)
  expect((await bash("node -e 0")).notes).toBe("")
  const snapshots = openSnapshots(dir, () => SETTINGS, Date.now)
  const restored = await carryOut(snapshots, await planRestore(snapshots, id, {}), CALLER)
  expect(restored.written.sort()).toEqual([".env", "a.txt", "notes.md"])
  expect(readFileSync(join(dir, "notes.md"), "utf8")).toBe("mine\n")
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("changed\n")
  await hivemind.close()
})

it("a stopped call keeps its snapshot; its losses are told with a later result", async () => {
  const { dir, begin, bash, write, hivemind } = await atWork()
  write("notes.md", "mine\n")
  await bash("node -e 0")
  const given = { tool: "bash", args: { command: "node clean.js" } }
  const { id } = await begin(given)
  rmSync(join(dir, "notes.md"))
  const call = readCall({ id, session: "ses_1", agent: "build", ...given })
  hivemind.between.callFailed({ call, error: "aborted", isStopped: true, rejection: null, child: null })
  let notes = ""
  await expect.poll(async () => (notes = (await bash("node -e 0")).notes)).toContain("deleted notes.md")
  const stopped = /hivemind restore (S\d+)/.exec(notes)?.[1] ?? ""
  const snapshots = openSnapshots(dir, () => SETTINGS, Date.now)
  expect(snapshots.find(stopped)).toMatchObject({ command: "node clean.js", deleted: ["notes.md"] })
  await carryOut(snapshots, await planRestore(snapshots, stopped, {}), CALLER)
  expect(readFileSync(join(dir, "notes.md"), "utf8")).toBe("mine\n")
})

it("marks snapshots of overlapping calls", async () => {
  const { dir, begin, bash, write } = await atWork()
  const first = await begin({ tool: "bash", args: { command: "node one.js" } })
  const second = await begin({ tool: "bash", args: { command: "node two.js" } })
  write("one.txt")
  await first.end()
  write("two.txt")
  await second.end()
  await bash("echo 3 > three.txt")
  const records = [...openSnapshots(dir, () => SETTINGS, Date.now).list()]
  expect(records.map(({ command, isOverlapped }) => [command, isOverlapped])).toEqual([
    ["echo 3 > three.txt", false],
    ["node two.js", true],
    ["node one.js", true],
  ])
})

it("a refused call leaves no snapshot", async () => {
  const { dir, bash } = await atWork()
  expect((await bash("git push --force origin main")).refusal).toContain("WHAT:")
  expect([...openSnapshots(dir, () => SETTINGS, Date.now).list()]).toEqual([])
})

it("tells once that a deleted file was too large to be kept", async () => {
  const { dir, bash, write, toasts } = await atWork()
  write("big.iso")
  truncateSync(join(dir, "big.iso"), 60 << 20)
  await bash("node -e 0")
  const { notes } = await bash("node -e \"require('fs').rmSync('big.iso')\"")
  expect(notes).toContain("big.iso (60.0 MB, deleted): too large to be kept in a snapshot")
  expect(toasts.join()).toContain("big.iso (60.0 MB, deleted)")
})

/** A repository in which a session is at work on a task, in a folder that has others beside it. */
async function workingHive(options: Record<string, unknown> = {}, parents: Record<string, string> = {}) {
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

describe("not covered:", () => {
  it("ignored files, .hivemind/ and files outside of the project", async () => {
    const { call, put, trail } = await workingHive()
    await call({
      tool: "files_put",
      run: () => {
        for (const path of ["out/o.js", ".hivemind/artifacts/n.md", "../beside.txt"]) put(path)
      },
    })
    expect(trail()).toEqual([])
  })

  it("later changes inside a submodule or nested repository", async () => {
    const { call, dir, put, trail } = await workingHive()
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
})

describe("a change belongs to", () => {
  it("a subagent's delegated task", async () => {
    const { own, call, hivemind, put, bash, trail } = await workingHive({}, { ses_child: "ses_1" })
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

describe("an unwanted change", () => {
  it("stays; its lock is told in strict too, not with governance off", async () => {
    for (const governance of ["assisted", "strict", "off"] as const) {
      const { call, dir, own } = await workingHive({ governance })
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

it("without git scans the tree and tells the user once that nothing can be restored", async () => {
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

const SETTINGS = { ...DEFAULT_LIMITS, keepDays: 14, maxBytes: 1 << 30 }
const CALLER = { session: null, turn: null, tool: "restore", command: null, task: null }
