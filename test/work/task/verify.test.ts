import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { completeTask } from "../../../src/work/task/finish.ts"
import { ensureVerified } from "../../../src/work/task/verify.ts"
import { connectedAt } from "../../support/connected.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { hiveAtWork, openProcess } from "../../support/hive-at-work.ts"
import { by } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"
import { anyCommand, callTool } from "../../tools/call-tool.ts"

/** A check that counts its runs in a file outside of the repository, and passes if `src/a.txt` says "good". */
const CHECK = `echo run >> "$HIVEMIND_RUNS"; [ "$(cat src/a.txt)" = good ] || { echo "bad: token ghp_${"a1B2".repeat(9)}"; exit 3; }`
const CALLER = { session: "ses_1", agent: null, tool: "test" }

let template = ""
beforeAll(() => {
  template = gitRepo(mkdtempSync(join(tmpdir(), "hivemind-check-")), {
    "src/a.txt": "bad\n",
    "check.sh": CHECK,
    "other/x": "",
    "test.sh": "exit $HIVEMIND_EXIT",
  })
})
afterAll(() => rmSync(template, { recursive: true }))

async function copiedRepo() {
  const dir = await tempProject()
  cpSync(template, dir, { recursive: true })
  return { dir, sh: (command: string) => execFileSync("bash", ["-c", command], { cwd: dir, stdio: "pipe" }) }
}

async function countRuns() {
  const file = join(await tempProject(), "runs")
  writeFileSync(file, "")
  vi.stubEnv("HIVEMIND_RUNS", file)
  return () => readFileSync(file, "utf8").split("\n").length - 1
}

async function inHost(verify = "sh check.sh") {
  const { dir, sh } = await copiedRepo()
  const runs = await countRuns()
  const on = connectedAt(dir)
  const task_id = await on.planned({ title: "Make it good", verify })
  await on.own("task", { action: "start", task_id })
  const complete = () => on.own("task", { action: "complete", evidence: "src/a.txt is good" })
  return { dir, sh, runs, ...on, complete }
}

async function alone() {
  const { hive, task } = await hiveAtWork()
  const runs = await countRuns()
  mkdirSync(join(hive.dir, "src"))
  writeFileSync(join(hive.dir, "check.sh"), CHECK)
  writeFileSync(join(hive.dir, "src/a.txt"), "good\n")
  return { hive, task, runs, dir: hive.dir, verify: (check: string) => verified(hive, check) }
}

/** Undefined if the check passes on the present files, else the reason. */
function verified(hive: Hive, check: string): Promise<string | undefined> {
  const [task] = hive.store.read().state.task.values()
  if (task === undefined) throw new Error("there is a task")
  return ensureVerified(hive, CALLER, task, check, anyCommand)
}

describe("complete runs the check itself", () => {
  it("whatever ran before and however it is spelled, and a failure takes only one run", async () => {
    const { complete, call, bash, runs, sh, state } = await inHost()
    for (const command of ["exit 0 && sh check.sh", "sh check.sh || true", "echo sh check.sh"])
      await call({ tool: "bash", args: { command } })
    await call({ tool: "bash", args: { command: "sh check.sh", workdir: "other" } })
    const refused = await complete()
    expect(refused).toMatchObject({ status: "error" })
    expect(refused.why).toContain("`sh check.sh` failed with exit 3:\nbad: token [masked")
    expect(runs()).toBe(1)
    const recorded = [...state().checkpoint.values()].flatMap(({ run }) => run ?? [])
    expect(recorded).toMatchObject([{ exit: 3, tree: expect.stringMatching(/^git /) }])
    expect(recorded[0]?.output).not.toContain("ghp_a1B2")
    sh("echo good > src/a.txt")
    await bash("sh check.sh | tail -5")
    expect(await complete()).toMatchObject({ status: "success" })
  })

  it("and is refused where the gate would refuse the same command in a shell", async () => {
    const { complete, sh, runs, dir } = await inHost("sh check.sh && rm -rf src .git")
    sh("echo good > src/a.txt")
    expect(await complete()).toMatchObject({ status: "refused" })
    expect(runs()).toBe(0)
    expect(existsSync(join(dir, "src/a.txt"))).toBe(true)
  })
})

describe("a run of the agent counts as a run of ours", () => {
  it("passed: with any shell tool, with a filter behind it, and before the task was started", async () => {
    const summary = "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total"
    const runsOfAgent: [command: string, tool: string][] = [
      ["npm test", "bash"],
      ["npm test 2>&1 | tail -20", "bash"],
      ["npm test", "hivemind_shell"],
    ]
    for (const [command, tool] of runsOfAgent)
      for (const isStarted of [true, false]) {
        const on = await inHost("npm test")
        if (!isStarted) await on.own("session", { action: "update", level: "action", content: "Another" })
        await on.call({ tool, args: { command }, said: summary })
        const [task] = [...on.state().task.values()].filter(({ verify }) => verify !== null)
        await on.own("task", { action: "start", task_id: task?.id })
        // There is no package.json, so a run by HiveMind itself would fail.
        expect([command, tool, await on.complete()]).toMatchObject([command, tool, { status: "success" }])
      }
  })

  it("failed: complete answers with it and does not run the check again until something is done", async () => {
    const on = await inHost()
    const said = `${"passing test\n".repeat(300)}AssertionError: expected good\n${"passing test\n".repeat(300)}`
    await on.bash("sh check.sh", { exit: 3, said })
    const refused = await on.complete()
    expect(refused.why).toContain("failed with exit 3:\nAssertionError: expected good")
    expect(refused.why).toContain("run the check yourself")
    expect(on.runs()).toBe(1)
    // A check may need things outside of the files, so another run of the agent counts.
    await on.call({ tool: "bash", args: { command: "sh check.sh" } })
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs()).toBe(1)
  })
})

describe("a run belongs to a state of the tree", () => {
  it("a check runs again after every edit, but not after a commit, a touched file or a new ignored one", async () => {
    const { dir, sh } = await copiedRepo()
    const runs = await countRuns()
    const hive = await openProcess(dir)
    await callTool(hive, "session", { action: "update", level: "action", content: "Make it good" })
    sh("echo good > src/a.txt; echo b > src/b.ts; echo '*.log' > .gitignore; git add -A")
    expect(await verified(hive, "sh check.sh")).toBeUndefined()
    sh("git -c user.name=t -c user.email=t@t commit -qm good; touch src/a.txt; date > report.log")
    expect(await verified(hive, "sh check.sh")).toBeUndefined()
    expect(runs()).toBe(1)
    const edits = [
      "sed -i 's/b/B/' src/*.ts",
      "printf -- '--- a/src/b.ts\\n+++ b/src/b.ts\\n@@ -1 +1 @@\\n-B\\n+c\\n' | git apply",
      "git -c user.name=t -c user.email=t@t stash -q; echo d > src/b.ts",
      "rm src/b.ts",
      "echo new > src/new.ts",
      "git checkout -q HEAD~1 -- src/a.txt",
    ]
    for (const [at, edit] of edits.entries()) {
      sh(edit)
      await verified(hive, "sh check.sh")
      expect([edit, runs()]).toEqual([edit, at + 2])
    }
    expect(await verified(hive, "sh check.sh")).toContain("exit 3")
  })
})

describe("running it", () => {
  it("follows the user's permission rules for the shell, and shows its progress", async () => {
    const { hive, task } = await hiveAtWork()
    await hive.store.write(by, (tx) => tx.set("task", task, { verify: "echo checked" }))
    const asked: string[] = []
    const denied = async (command: string) => {
      asked.push(command)
      throw new Error("the user's rules say no")
    }
    await expect(completeTask(hive, CALLER, task, "x", { ...anyCommand, mayRun: denied })).rejects.toThrow(
      "say no",
    )
    expect(asked).toEqual(["echo checked"])
    expect(hive.store.read().state.checkpoint.size).toBe(0)
    const shown: string[] = []
    await completeTask(hive, CALLER, task, "x", {
      ...anyCommand,
      show: ({ title }) => void shown.push(title),
    })
    expect(shown[0]).toContain("echo checked")
  })

  it("ends after verify_minutes, and with the turn", async () => {
    expect(defaultConfig.verify_minutes).toBe(10)
    const { hive, task } = await hiveAtWork({ verify_minutes: 0.002 })
    expect(await verified(hive, "sleep 60")).toContain("did not end within 0.002 minutes")
    await hive.store.write(by, (tx) => tx.set("task", task, { verify: "sleep 60" }))
    const signal = AbortSignal.abort()
    await expect(completeTask(hive, CALLER, task, "x", { ...anyCommand, signal })).rejects.toThrow(
      "was stopped",
    )
  })

  it("is over with the command, and ends what that left running", async () => {
    const { hive } = await hiveAtWork()
    appendFileSync(join(hive.dir, "leaves.sh"), "sleep 300 & echo checked\n")
    expect(await verified(hive, "sh leaves.sh")).toBeUndefined()
  })

  it("proves nothing if files change while it passes, except those that it rewrites each time", async () => {
    const { verify, dir } = await alone()
    for (const n of [0, 1, 2, 3]) writeFileSync(join(dir, `src/${n}.txt`), "")
    const rewrites = 'n=$(grep -c run "$HIVEMIND_RUNS"); echo run >> "$HIVEMIND_RUNS"; echo x >> src/$n.txt'
    for (const n of [1, 3]) expect(await verify(rewrites)).toContain(`changed while it ran: src/${n}.txt`)
    expect(await verify("echo x >> src/0.txt")).toBeUndefined()
  })

  it("leaves no half of a secret where its output is cut", async () => {
    const { hive, verify } = await alone()
    const check = "printf 'ghp_%s\\n%01979d' $(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9) 0"
    expect(await verify(check)).toBeUndefined()
    const [checkpoint] = hive.store.read().state.checkpoint.values()
    expect(checkpoint?.run?.output).toMatch(/^[^\d]*\n0{1979}$/)
  })

  it("fails if any part fails, but not if its output is cut off on purpose", async () => {
    const { verify, dir } = await alone()
    writeFileSync(join(dir, "test.sh"), "echo '2 issues:'; exit 1\n")
    const failing: [check: string, why: string][] = [
      ["false | tail -1", "failed with exit 1"],
      ["(echo 2 failed; exit 7) 2>&1 | tee out.log", "failed with exit 7"],
      ["seq 1 100000 | head -1", "cut off by the command behind it"],
      ["sh test.sh || true", "its own summary reports failures"],
      ["sh check.sh &", "in the background"],
      ["(sh check.sh &)", "in the background"],
    ]
    for (const [check, why] of failing)
      expect([check, await verify(check)]).toEqual([check, expect.stringContaining(why)])
    for (const check of ["seq 1 100000 | grep -q 7", "yes | sh -c 'read a'", "echo ok | tail -1 2>&1"])
      expect([check, await verify(check)]).toEqual([check, undefined])
  })
})

describe("a task without a check", () => {
  it("is not completed with words alone", async () => {
    const { hive } = await hiveAtWork()
    const done = (evidence: string) => callTool(hive, "task", { action: "complete", evidence })
    appendFileSync(join(hive.dir, "old.txt"), "x")
    expect(await done("I did it, see nothing.txt")).toMatchObject({
      status: "error",
      why: expect.stringContaining("a result of the work"),
    })
    expect(await callTool(hive, "task", { action: "status" })).toMatchObject({ missing: [] })
  })

  it("is, with a mem, a finished part, or the name of a file that was made", async () => {
    const done = { action: "complete", evidence: "it is written up in docs/note.md:3." }
    const named = await hiveAtWork()
    mkdirSync(join(named.hive.dir, "docs"))
    writeFileSync(join(named.hive.dir, "docs/note.md"), "x")
    expect(await callTool(named.hive, "task", done)).toMatchObject({ status: "success" })
    const saved = await hiveAtWork()
    await callTool(saved.hive, "memory", { action: "save", content: "The cause is the cache" })
    expect(await callTool(saved.hive, "task", done)).toMatchObject({ status: "success" })
    const inParts = await hiveAtWork()
    await inParts.hive.store.write(by, (tx) => {
      const whole = tx.need("task", inParts.task)
      const part = { ...whole, id: systemSource.newId(), type: "sub" as const, parent_task_id: whole.id }
      tx.add("task", { ...part, title: "A part", status: "active" })
    })
    const [, part] = inParts.hive.store.read().state.task.keys()
    await inParts.hive.store.write(by, (tx) => tx.set("task", part ?? "", { status: "completed" }))
    expect(await callTool(inParts.hive, "task", { ...done, evidence: "all of it" })).toMatchObject({
      status: "success",
    })
  })

  it("is, with a check that passed by its exit or its summary; one without either is run without its filter", async () => {
    const { dir } = await copiedRepo()
    const on = connectedAt(dir)
    async function completedAfter(title: string, command: string, said = "", exit = 0) {
      await on.own("session", { action: "update", level: "action", content: title })
      await on.call({ tool: "bash", args: { command }, said, exit })
      return await on.own("task", { action: "complete", evidence: "it is done" })
    }
    const OK = "ok  \tx/cli\t0.1s"
    const full: [title: string, command: string, said?: string][] = [
      ["Check that the tests pass", "npm test 2>&1"],
      ["See that the go tests pass", "go test ./... | tail -5", OK],
      ["Find out whether it builds", "cd app && npm run build && echo built"],
      ["Tag the release", "git tag v1.2.0"],
      ["Keep what is there", "git add -A && git commit -m 'As it was'"],
    ]
    for (const [title, command, said] of full)
      expect([command, await completedAfter(title, command, said)]).toMatchObject([
        command,
        { status: "success" },
      ])
    const empty: [title: string, command: string, said?: string][] = [
      ["Write the parser", "git tag parser-done"],
      ["Write the scanner", "npm test --help"],
      // Completing the task does not run the commit again to see its result.
      ["Write the draft", "git commit -qm draft | tail -1"],
      ["Write the printer", "go test ./...", `${OK}\nFAIL\tx/b [build failed]`],
    ]
    for (const [title, command, said] of empty)
      expect([command, await completedAfter(title, command, said)]).toMatchObject([
        command,
        { why: expect.stringContaining("a result of the work") },
      ])
    vi.stubEnv("HIVEMIND_EXIT", "4")
    const unclear = "cd src && sh ../test.sh | tail -3"
    expect(await completedAfter("See the script pass", unclear, "fine")).toMatchObject({
      why: expect.stringContaining("`cd src && sh ../test.sh` failed with exit 4"),
    })
    vi.stubEnv("HIVEMIND_EXIT", "0")
    expect(await on.own("task", { action: "complete", evidence: "it is done" })).toMatchObject({
      status: "success",
    })
  })

  it("a subagent cannot complete its task if all of its calls were refused", async () => {
    const { dir } = await copiedRepo()
    const on = connectedAt(dir, { governance: "strict" })
    const task_id = await on.planned({ title: "Write it", allowed_tools: ["read"] })
    await on.own("task", { action: "start", task_id })
    const filePath = join(dir, "out.txt")
    const refused = await on.call({ tool: "write", args: { filePath, content: "x" } })
    expect(refused.refusal).toContain("may not be used")
    expect((await on.bash("echo x > out.txt")).refusal).toContain("may not be used")
    const reply = await on.own("task", { action: "complete", evidence: "a.txt and out.txt are written" })
    expect(reply).toMatchObject({ status: "error", why: expect.stringContaining("a result of the work") })
  })
})
