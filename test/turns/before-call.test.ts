import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, realpathSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { beforeCall, type PassedCalls } from "../../src/turns/before-call.ts"
import { continueIn } from "../../src/work/session/continue-in.ts"
import { ensureSession } from "../../src/work/session/start.ts"
import { gitRepo } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { beginWork, SESSION, touch } from "../support/hive-at-work.ts"
import { untilFileIsOlder } from "../support/old-file.ts"
import { tempProject } from "../support/temp-project.ts"
import { treeAt } from "../support/tree.ts"

it("calls that never ended do not make the gate forget one that is under way", async () => {
  const hive = memoryHive()
  const calls: PassedCalls = new Map()
  const where = { place: { home: "/p", dir: "/p" }, directory: "/p", userHome: "/h" }
  const gate = beforeCall({ hive: async () => hive, ...where, log: vi.fn(), ...treeAt() }, calls)
  for (let n = 0; n < 1100; n++) {
    await gate(readCall({ id: `call ${n}`, tool: "read", session: "ses_1", agent: "build", args: {} }))
    expect([calls.has(`call ${n}`), calls.has(`call ${n - 1}`)]).toEqual([true, n > 0])
  }
  expect(calls.size).toBeLessThanOrEqual(1000)
})

it("where the gate itself fails, the call passes, and the log says so", async () => {
  const log = vi.fn()
  const where = { place: { home: "/p", dir: "/p" }, directory: "/p", userHome: "/h" }
  const broken = async () => Promise.reject(new Error("the graph cannot be read"))
  const gate = beforeCall({ hive: broken, ...where, log, ...treeAt() }, new Map())
  const args = { command: "rm -rf /" }
  expect(await gate(readCall({ id: "c", tool: "bash", session: "s", agent: "build", args }))).toBeUndefined()
  expect(log).toHaveBeenCalledWith(
    "error",
    expect.stringContaining("the gate failed on bash"),
    expect.any(Error),
  )
})

describe("in a repository with work that is in no commit", () => {
  it("everyday commands pass in assisted, what would lose the work is refused", async () => {
    const { gate } = await atWork()
    for (const command of [
      "rm -rf node_modules package-lock.json && npm install",
      "rm -f src/old.ts",
      "rm -rf lib && npm run build",
      "git commit --amend --no-edit",
      "git rebase main",
      "pkill -f dev-server",
      'T=$(mktemp -d); trap \'rm -rf "$T"\' EXIT; cp src/old.ts "$T"',
      "uv run format .",
      "rm -f .hivemind/artifacts/note.md",
    ])
      expect(await gate("bash", { command }), command).toBeUndefined()
    for (const command of [
      "rm -rf src",
      "git reset --hard",
      "git checkout .",
      "git clean -fd",
      "git push -f",
    ])
      expect(await gate("bash", { command }), command).toContain("What it does cannot be undone.")
    expect(await gate("bash", { command: "git clean -fdx" })).toContain(".hivemind/")
  })

  it("a stash that would take HiveMind's own folder away is told how to leave it", async () => {
    const { gate, dir } = await atWork()
    expect(await gate("bash", { command: "git stash -u" })).toBeUndefined()
    writeFileSync(join(dir, ".gitignore"), "node_modules\nlib\n")
    expect(await gate("bash", { command: "git stash -u" })).toContain("git stash -u -- ':!.hivemind'")
  })

  it("a patch that deletes a file is asked about like a command that does", async () => {
    const { gate } = await atWork()
    const deletes = (file: string) => ({
      patchText: `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch`,
    })
    expect(await gate("apply_patch", deletes("src/draft.ts"))).toContain("src/draft.ts, in no commit")
    expect(await gate("apply_patch", deletes("src/old.ts"))).toBeUndefined()
  })

  it("replacing it by the shell is refused, an edit and the write tool are not", async () => {
    const { gate } = await atWork()
    for (const command of ["cp src/old.ts src/draft.ts", "echo x > src/app.ts"])
      expect(await gate("bash", { command }), command).toContain("in no commit")
    expect(await gate("bash", { command: "sed -i s/a/b/ src/app.ts" })).toBeUndefined()
    expect(await gate("write", { filePath: "src/app.ts", content: "x" })).toBeUndefined()
  })

  it("what the session wrote is its own; what somebody else writes beside it is not", async () => {
    const { gate, begin, dir, hive } = await atWork()
    const { task } = await beginWork(hive)
    await begin()
    writeFileSync(join(dir, "scratch.py"), "x")
    await touch(hive, task, "scratch.py")
    // By hand, or by another session.
    writeFileSync(join(dir, "notes.md"), "x")
    writeFileSync(join(dir, "src/old.ts"), "changed by hand")
    expect(await gate("bash", { command: "rm scratch.py" }, SESSION)).toBeUndefined()
    mkdirSync(join(dir, "scratch"))
    writeFileSync(join(dir, "scratch/a.txt"), "x")
    await touch(hive, task, "scratch/a.txt")
    expect(await gate("bash", { command: "rm -rf scratch" }, SESSION)).toBeUndefined()
    writeFileSync(join(dir, "scratch/by-hand.txt"), "x")
    expect(await gate("bash", { command: "rm -rf scratch" }, SESSION)).toContain("scratch/by-hand.txt")
    expect(await gate("bash", { command: "rm notes.md" }, SESSION)).toContain("notes.md, in no commit")
    expect(await gate("bash", { command: "git checkout src/old.ts" }, SESSION)).toContain("src/old.ts")
  })

  it("what a session has made is its subagents' own too", async () => {
    const { gate, begin, dir, hive } = await atWork()
    const { task } = await beginWork(hive)
    await begin()
    writeFileSync(join(dir, "src/old.ts"), "changed by the session above")
    await touch(hive, task, "src/old.ts")
    const below = { tool: "test", session: "ses_below", agent: null }
    await hive.store.write(below, (tx) => ensureSession(tx, below, Date.now(), null, SESSION))
    expect(await gate("bash", { command: "echo x > src/old.ts" }, "ses_below")).toBeUndefined()
    expect(await gate("bash", { command: "echo x > src/draft.ts" }, "ses_below")).toContain("src/draft.ts")
    expect(await gate("bash", { command: "echo x > src/old.ts" }, "ses_other")).toContain(
      "Keep what would be lost",
    )
  })

  it("what a session has made before its window was full is its own in those that go on with it, and no more than that", async () => {
    const { gate, begin, dir, hive } = await atWork()
    const { task } = await beginWork(hive)
    await begin()
    const write = async (file: string, session = SESSION) => {
      writeFileSync(join(dir, file), "x")
      await touch(hive, task, file, session)
    }
    const below = { tool: "test", session: "ses_below", agent: null }
    await hive.store.write(below, (tx) => ensureSession(tx, below, Date.now(), null, SESSION))
    await write("made.py")
    await write("made-below.py", "ses_below")
    for (const [from, to] of [
      [SESSION, "ses_second"],
      ["ses_second", "ses_third"],
    ] as const) {
      const before = Date.now()
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(before))
      await continueIn(hive, { session: from, agent: null, tool: "split" }, to)
      const after = Date.now()
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(after))
    }
    await write("late.py")
    await write("next.py", "ses_third")
    const child = { tool: "test", session: "ses_child", agent: null }
    await hive.store.write(child, (tx) => ensureSession(tx, child, Date.now(), null, "ses_third"))
    // The task has made them, too: without it only the conversation tells whose they are.
    await hive.store.write(below, (tx) => {
      tx.set("task", task, { status: "planned", assigned_session_id: null })
      for (const { id } of [...tx.all("trajectory")]) tx.set("trajectory", id, { active_task_ids: [] })
    })
    const asked = async (file: string, session: string) =>
      (await gate("bash", { command: `rm ${file}` }, session)) === undefined ? "own" : "refused"
    const answers: Record<string, string> = {}
    for (const session of ["ses_third", "ses_child", SESSION, "ses_other"])
      for (const file of ["made.py", "made-below.py", "late.py", "next.py", "src/draft.ts"])
        answers[`${session} ${file}`] = await asked(file, session)
    expect(answers).toEqual({
      "ses_third made.py": "own",
      "ses_third made-below.py": "own",
      "ses_third late.py": "refused",
      "ses_third next.py": "own",
      "ses_third src/draft.ts": "refused",
      "ses_child made.py": "own",
      "ses_child made-below.py": "refused",
      "ses_child late.py": "refused",
      "ses_child next.py": "own",
      "ses_child src/draft.ts": "refused",
      [`${SESSION} made.py`]: "own",
      [`${SESSION} made-below.py`]: "own",
      [`${SESSION} late.py`]: "own",
      [`${SESSION} next.py`]: "refused",
      [`${SESSION} src/draft.ts`]: "refused",
      "ses_other made.py": "refused",
      "ses_other made-below.py": "refused",
      "ses_other late.py": "refused",
      "ses_other next.py": "refused",
      "ses_other src/draft.ts": "refused",
    })
  })

  it("what was somebody else's stays so under another name, from call to call", async () => {
    const rows: { before: string[]; made: string; refused: string; passed?: string }[] = [
      {
        before: ["mv src/draft.ts src/draft.old.ts"],
        made: "src/draft.old.ts",
        refused: "rm src/draft.old.ts",
      },
      { before: ["mkdir wip && mv src/draft.ts wip/"], made: "wip/draft.ts", refused: "rm -rf wip" },
      { before: ["mv src old && mkdir src"], made: "old/draft.ts", refused: "rm -rf old" },
      { before: ["gzip src/draft.ts"], made: "src/draft.ts.gz", refused: "rm src/draft.ts.gz" },
      { before: ["tar czf d.tgz src/draft.ts && rm src/draft.ts"], made: "d.tgz", refused: "rm d.tgz" },
      { before: ["cp src/draft.ts d.bak && rm src/draft.ts"], made: "d.bak", refused: "rm d.bak" },
      { before: ["git mv src/app.ts src/z.ts"], made: "src/z.ts", refused: "git rm -f src/z.ts" },
      { before: ["mv src/draft.ts a.ts", "mv a.ts b.ts"], made: "b.ts", refused: "echo x > b.ts" },
      // Back where it was it is a copy like any other.
      {
        before: ["mv src/draft.ts a.bak", "mv a.bak src/draft.ts", "cp src/draft.ts a.bak"],
        made: "a.bak",
        refused: "rm src/draft.ts",
        passed: "rm a.bak",
      },
      // What git ignores may go.
      {
        before: ["echo dist/ >> .gitignore", "mkdir dist && mv src/draft.ts dist/"],
        made: "dist/draft.ts",
        refused: "rm -rf .git",
        passed: "rm -rf dist",
      },
      {
        before: ["mv src/old.ts kept.ts"],
        made: "kept.ts",
        refused: "rm src/draft.ts",
        passed: "rm kept.ts",
      },
    ]
    for (const { before, made, refused, passed } of rows) {
      const { gate, begin, dir, hive, restarted } = await atWork()
      await untilFileIsOlder(join(dir, "src/draft.ts"))
      const { task } = await beginWork(hive)
      await begin()
      for (const command of before) {
        expect(await gate("bash", { command }, SESSION), command).toBeUndefined()
        execFileSync("bash", ["-c", command], { cwd: dir })
      }
      await touch(hive, task, made)
      const starts = join(dir, ".hivemind/state/starts.jsonl")
      if (passed === undefined)
        await vi.waitFor(() => expect(readFileSync(starts, "utf8")).toContain('"taken":["'), 10_000)
      for (const asked of [() => gate, restarted]) {
        expect(await asked()("bash", { command: refused }, SESSION), refused).toContain("cannot be undone")
        if (passed === undefined) continue
        // What was moved is written beside the calls: a host that begins anew may come before it.
        await vi.waitFor(
          async () => expect(await asked()("bash", { command: passed }, SESSION), passed).toBeUndefined(),
          10_000,
        )
      }
    }
  })

  it("what a task has made before, in another session, is its own; what others have made is not", async () => {
    const { gate, dir, hive } = await atWork()
    await untilFileIsOlder(join(dir, "src/draft.ts"))
    const { task } = await beginWork(hive)
    writeFileSync(join(dir, "scratch.py"), "x")
    writeFileSync(join(dir, "theirs.py"), "x")
    await touch(hive, task, "scratch.py")
    await touch(hive, task, "src/draft.ts")
    expect(await gate("bash", { command: "rm -f scratch.py" }, SESSION)).toBeUndefined()
    expect(await gate("bash", { command: "rm -f src/draft.ts" }, SESSION)).toContain(
      "src/draft.ts, in no commit",
    )
    expect(await gate("bash", { command: "rm -f theirs.py" }, SESSION)).toContain("theirs.py, in no commit")
  })
})

it("what a session made is its own after a restart of the host, unless somebody has changed it meanwhile", async () => {
  const { begin, dir, hive, restarted } = await atWork()
  await untilFileIsOlder(join(dir, "src/draft.ts"))
  const { task } = await beginWork(hive)
  await begin()
  // Written beside the calls: a restart that comes before it would know nothing of the session.
  await expect.poll(() => existsSync(join(dir, ".hivemind/state/starts.jsonl"))).toBe(true)
  const past = new Date(Date.now() - 60_000)
  for (const file of ["scratch.py", "src/old.ts", "src/draft.ts", "package-lock.json"]) {
    writeFileSync(join(dir, file), "its own")
    utimesSync(join(dir, file), past, past)
    await touch(hive, task, file)
  }
  // Half a minute after the session wrote it. The host restarts half a minute later.
  writeFileSync(join(dir, "package-lock.json"), "changed by hand")
  const changedAt = new Date(Date.now() + 30_000)
  utimesSync(join(dir, "package-lock.json"), changedAt, changedAt)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  const again = restarted()
  expect(await again("bash", { command: "rm scratch.py" }, SESSION)).toBeUndefined()
  expect(await again("bash", { command: "git checkout src/old.ts" }, SESSION)).toBeUndefined()
  expect(await again("bash", { command: "rm src/draft.ts" }, SESSION)).toContain("src/draft.ts, in no commit")
  expect(await again("bash", { command: "git checkout package-lock.json" }, SESSION)).toContain(
    "package-lock.json",
  )
})

// bench/gate measures that the answer comes soon.
it("long paths, large patches and long commands are refused", async () => {
  const { gate } = await atWork()
  const files = (count: number) =>
    Array.from({ length: count }, (_, n) => `*** Add File: src/dir${n % 100}/f${n}.ts\n+x\n`).join("")
  const inputs: [string, object][] = [
    ["write", { filePath: "a/".repeat(16_000) }],
    ["write", { filePath: "a/".repeat(500_000) }],
    ["write", { filePath: `${"a/../".repeat(200_000)}.hivemind/x` }],
    ["write", { filePath: "x".repeat(1_000_000) }],
    ["apply_patch", { patchText: `*** Begin Patch\n${files(30_000)}` }],
    ["bash", { command: "$(".repeat(100_000) }],
    ["bash", { command: "echo hello;\n".repeat(100_000) }],
  ]
  for (const [tool, args] of inputs) {
    expect(await gate(tool, args), `${tool} ${JSON.stringify(args).slice(0, 40)}`).toBeDefined()
  }
})

/** A repository with two files that are in no commit, and a gate before it. */
async function atWork() {
  const dir = realpathSync(
    gitRepo(await tempProject(), {
      "src/app.ts": "a",
      "src/old.ts": "a",
      "package-lock.json": "{}",
      ".gitignore": "node_modules\nlib\n.hivemind\n",
    }),
  )
  for (const folder of ["node_modules", "lib", ".hivemind/graph"])
    mkdirSync(join(dir, folder), { recursive: true })
  writeFileSync(join(dir, ".hivemind/graph/x.json"), "{}")
  writeFileSync(join(dir, "src/app.ts"), "changed")
  writeFileSync(join(dir, "src/draft.ts"), "new")
  const hive = { ...memoryHive(), source: systemSource, home: dir, dir }
  const where = { place: { home: dir, dir }, directory: dir, userHome: "/home/me" }
  let n = 0
  const started = () => {
    const gate = beforeCall({ hive: async () => hive, ...where, log: vi.fn(), ...treeAt() }, new Map())
    return (tool: string, args: object, session = `ses_${n}`) =>
      gate(readCall({ id: `call ${n++}`, tool, session, agent: "build", args }))
  }
  const gate = started()
  /** The session's first call, until it is noted what was in no commit then. */
  const begin = async () => {
    expect(await gate("bash", { command: "npm test" }, SESSION)).toBeUndefined()
    await vi.waitFor(() => expect(existsSync(join(dir, ".hivemind/state/starts.jsonl"))).toBe(true), 10_000)
  }
  return { dir, hive, gate, begin, restarted: started }
}
