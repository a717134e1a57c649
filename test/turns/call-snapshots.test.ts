import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { openSnapshots } from "../../src/snapshots/snapshots.ts"
import { DEFAULT_LIMITS } from "../../src/snapshots/take-snapshot.ts"
import { planSnapshotRestore, restoreSnapshot } from "../../src/work/restore/restore-snapshot.ts"
import { connectedAt } from "../support/connected.ts"
import { trials } from "../support/effort.ts"
import { gitRepo } from "../support/git-repo.ts"
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

describe("what calls change ends up in a checkpoint", () => {
  it("scripts, redirections, generators and tools that no table knows", async () => {
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

  it("each of the ways in which Python changes files", async () => {
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

  it("a tool of an MCP server, and a subagent", async () => {
    const { call, write, trail } = await atWork()
    await call({ tool: "files_put", run: () => write("mcp.txt") })
    await call({
      tool: "task",
      args: { subagent_type: "general", prompt: "x" },
      run: () => write("by-child.txt"),
    })
    expect(trail()).toEqual([
      ["files_put", "mcp.txt"],
      ["task", "by-child.txt"],
    ])
  })

  it("a file of the host's own tools stands there once; what another call changed in it later, again", async () => {
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

  it("calls of one step that end together tell of each file once", async () => {
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

  it("what a command changes although it fails, and what is deleted", async () => {
    const { bash, state } = await atWork()
    await bash("echo x >> src/a.ts; rm c.txt; exit 3", { exit: 3 })
    const [checkpoint] = state().checkpoint.values()
    expect(checkpoint).toMatchObject({ files: ["c.txt", "src/a.ts"], removed: ["c.txt"], ok: false })
  })

  it("what comes after the last call of a turn", async () => {
    const { bash, hivemind, write, state } = await atWork()
    await bash("echo x >> src/a.ts")
    write("late.txt")
    hivemind.between.turnEnded("ses_1")
    await expect
      .poll(() => [...state().checkpoint.values()].map(({ files }) => files))
      .toEqual([["src/a.ts"], ["late.txt"]])
  })

  it("not what the user changes between two turns", async () => {
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

  it("without git as well", async () => {
    const dir = await tempProject()
    writeFileSync(join(dir, "a.txt"), "a")
    const { own, bash, state } = connectedAt(dir)
    await own("session", { action: "update", level: "action", content: "Write code" })
    await bash("python3 -c \"open('a.txt','a').write('b'); open('b.txt','w').write('b')\"")
    expect([...state().checkpoint.values()].map(({ files }) => files)).toEqual([["a.txt", "b.txt"]])
  })

  it("very many files are in checkpoints too", async () => {
    const { bash, trail } = await atWork()
    await bash("mkdir m; for n in $(seq 1 1200); do echo $n > m/$n.txt; done")
    const files = trail().flatMap(([, ...names]) => names)
    expect(new Set(files).size).toBe(1200)
  })
})

describe("what a call that cannot write costs", () => {
  it("nothing: the tree is not looked at", async () => {
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
  it("is told to the model and the user by file, in strict", async () => {
    const dir = gitRepo(await tempProject(), { "a.txt": "a\n" })
    const { call, toasts } = connectedAt(dir, STRICT)
    const put = (path: string) => call({ tool: "files_put", run: () => appendFileSync(join(dir, path), "x") })
    const { notes } = await put("a.txt")
    expect(notes).toContain("a.txt changed, and no task covers it")
    expect(toasts.join()).toContain("a.txt changed")
    expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("a\nx")
    expect((await call({ tool: "files_put" })).notes).toBe("")
  })

  it("is not, where a task covers it, and in assisted", async () => {
    const { call, write, own, toasts } = await atWork(STRICT)
    expect((await call({ tool: "files_put", run: () => write("n.txt") })).notes).toBe("")
    await own("task", { action: "fail", reason: "no" })
    expect((await call({ tool: "files_put", run: () => write("n2.txt") })).notes).toContain("n2.txt")
    const assisted = await atWork()
    await assisted.own("task", { action: "fail", reason: "no" })
    const { notes } = await assisted.call({ tool: "files_put", run: () => assisted.write("n.txt") })
    expect(notes).not.toContain("n.txt")
    expect(assisted.toasts).toEqual([])
    expect(toasts).toHaveLength(1)
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

  it("a role that may not write there is told so, whatever tool it used", async () => {
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

  it("a file that another task has locked is named with that task, in every mode", async () => {
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

it("a project that does not use HiveMind is not looked at", async () => {
  const dir = gitRepo(await tempProject())
  const bin = await tempProject()
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho "$@" >> "${bin}/asked"\nexit 1\n`, { mode: 0o755 })
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { bash, own } = connectedAt(dir)
  const asked = () => (existsSync(join(bin, "asked")) ? readFileSync(join(bin, "asked"), "utf8") : "")
  await bash("echo x > n.txt")
  expect(asked()).not.toContain("show-object-format")
  await own("session", { action: "start", intent: "work" })
  await bash("echo y > n.txt")
  expect(asked()).toContain("show-object-format")
})

it("uncommitted work from before the session that a script deletes is told once, and comes back", async () => {
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
  const restored = await restoreSnapshot(snapshots, await planSnapshotRestore(snapshots, id, {}), CALLER)
  expect(restored.written.sort()).toEqual([".env", "a.txt", "notes.md"])
  expect(readFileSync(join(dir, "notes.md"), "utf8")).toBe("mine\n")
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("changed\n")
  await hivemind.close()
})

it("after a snapshot that failed the next one is compared with the last that worked", async () => {
  const { dir, begin, bash, write, trail } = await atWork()
  write("notes.md", "mine\n")
  await bash("node -e 0")
  // The store cannot be used for a while.
  const store = join(dir, ".git/hivemind/snapshots")
  const call = async (command: string) => {
    renameSync(store, `${store}-away`)
    writeFileSync(store, "")
    const begun = await begin({ tool: "bash", args: { command } })
    rmSync(store)
    renameSync(`${store}-away`, store)
    rmSync(join(dir, "notes.md"))
    write("new.txt")
    return begun.end()
  }
  const { notes } = await call("node clean.js")
  expect(trail().at(-1)).toEqual(["bash", "new.txt", "notes.md"])
  expect(notes.join("\n")).toMatch(/deleted notes\.md.*hivemind restore S\d+/)
})

it("a file that is too large to be kept and was deleted is told once, with its size", async () => {
  const { dir, bash, write, toasts } = await atWork()
  write("big.iso")
  truncateSync(join(dir, "big.iso"), 60 << 20)
  await bash("node -e 0")
  const { notes } = await bash("node -e \"require('fs').rmSync('big.iso')\"")
  expect(notes).toContain("big.iso (60.0 MB, deleted): too large to be kept in a snapshot")
  expect(toasts.join()).toContain("big.iso (60.0 MB, deleted)")
})

const SETTINGS = { ...DEFAULT_LIMITS, keepDays: 14, maxBytes: 1 << 30 }
const CALLER = { session: null, turn: null, tool: "restore", command: null, task: null }
