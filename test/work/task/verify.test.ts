import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import type { RunningCall } from "../../../src/hive/running-call.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { completeTask } from "../../../src/work/task/finish.ts"
import { connectedAt } from "../../support/connected.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { hiveAtWork } from "../../support/hive-at-work.ts"
import { by } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"
import { callTool } from "../../tools/call-tool.ts"

/** Counts its runs outside of the repository, and passes where `src/a.txt` says "good". */
const CHECK = `const fs=require("fs"); fs.appendFileSync(process.env.HIVEMIND_RUNS, "run\\n"); if (fs.readFileSync("src/a.txt","utf8").trim() !== "good") { console.log("bad: token ghp_" + "a1B2".repeat(9)); process.exit(3) }`

/** A repository whose task has a check. `runs()`: how often that ran. */
async function withCheck(verify = "node check.js") {
  const dir = gitRepo(await tempProject(), { "src/a.txt": "bad\n", "check.js": CHECK, "other/x": "" })
  const runsFile = join(await tempProject(), "runs")
  writeFileSync(runsFile, "")
  vi.stubEnv("HIVEMIND_RUNS", runsFile)
  const on = connectedAt(dir)
  const { entity_id } = await on.own("plan", { action: "create", title: "P", acceptance: [] })
  const tasks = [{ title: "Make it good", expected_output: "good", verify }]
  const planned = await on.own("plan", { action: "plan_tasks", plan_id: entity_id, tasks })
  await on.own("task", { action: "start", task_id: planned.tasks[0].entity_id })
  return {
    dir,
    ...on,
    sh: (command: string) => execFileSync("bash", ["-c", command], { cwd: dir, stdio: "pipe" }),
    complete: () => on.own("task", { action: "complete", evidence: "src/a.txt is good" }),
    runs: () => readFileSync(runsFile, "utf8").split("\n").length - 1,
    runRecords: () =>
      [...on.state().checkpoint.values()].flatMap(({ run, ok }) => (run ? [{ ...run, ok }] : [])),
  }
}

describe("complete runs the check itself", () => {
  it("and is refused where that fails, with its exit and the end of its output, secrets masked", async () => {
    const { complete, runRecords } = await withCheck()
    const { status, why } = await complete()
    expect(status).toBe("error")
    expect(why).toContain("`node check.js` failed with exit 3: bad: token [masked")
    expect(runRecords()).toMatchObject([{ exit: 3, ok: false, tree: expect.stringMatching(/^git /) }])
    expect(runRecords()[0]?.output).not.toContain("ghp_a1B2")
  })

  it("and accepts where it passes", async () => {
    const { complete, sh, runs, runRecords } = await withCheck()
    sh("echo good > src/a.txt")
    expect(await complete()).toMatchObject({ status: "success" })
    expect(runs()).toBe(1)
    expect(runRecords()).toMatchObject([{ exit: 0, ok: true }])
  })

  const tricks = [
    "exit 0 && node check.js",
    "cd other && node ../check.js",
    "node check.js; true",
    "node check.js || true",
    "echo node check.js",
    "false && node check.js; true",
    "cat <<EOF\nnode check.js\nEOF",
  ]
  it.each(tricks)("whatever was run before: %s", async (command) => {
    const { complete, bash, call } = await withCheck()
    await bash(command)
    await call({ tool: "bash", args: { command: "node check.js", workdir: "other" } })
    await call({ tool: "hivemind_shell", args: { command: "node check.js" } })
    expect(await complete()).toMatchObject({ status: "error" })
  })

  const ordinary = [
    "node check.js 2>&1",
    "node check.js | tail -5",
    "CI=1 node check.js",
    "node  ./check.js",
    'cd "$PWD" && node check.js',
    "time node check.js",
    "node check.js > /dev/null",
    "env A=1 node check.js && echo ok",
    "bash -c 'node check.js'",
  ]
  it.each(ordinary)("however it was spelled before: %s", async (command) => {
    const { complete, sh, bash } = await withCheck()
    sh("echo good > src/a.txt")
    await bash(command)
    expect(await complete()).toMatchObject({ status: "success" })
  })
})

describe("a run belongs to the state of the tree on which it began", () => {
  /** A check that passed, and a completion that was refused all the same: a part of the task is open. */
  async function passedOnce() {
    const on = await withCheck()
    on.sh("echo good > src/a.txt; echo b > src/b.ts; git add -A")
    const [task] = on.state().task.values()
    const part = { title: "Part", expected_output: "x", parent_task_id: task?.id }
    expect(await on.own("task", { action: "status" })).toMatchObject({
      missing: [expect.stringContaining("has not passed on the files as they are")],
    })
    const dir = on.dir
    return { ...on, task, part, dir }
  }

  it("which is asked by its content: a commit and the time of a file are none", async () => {
    const on = await passedOnce()
    const hive = await hiveOn(on.dir)
    const run = await ensured(hive)
    expect(run).toBeUndefined()
    expect(on.runs()).toBe(1)
    on.sh("git -c user.name=t -c user.email=t@t commit -qm good; touch src/a.txt")
    expect(await ensured(hive)).toBeUndefined()
    expect(on.runs()).toBe(1)
  })

  const edits = [
    "sed -i 's/b/B/' src/*.ts",
    "find src -name '*.ts' -exec sed -i 's/b/B/' {} +",
    "printf -- '--- a/src/b.ts\\n+++ b/src/b.ts\\n@@ -1 +1 @@\\n-b\\n+B\\n' | git apply",
    "git -c user.name=t -c user.email=t@t stash -q",
    "python3 -c \"open('src/b.ts','a').write('x')\"",
    "rm src/b.ts",
    "echo new > src/new.ts",
    "git checkout -q HEAD -- src/a.txt",
  ]
  it.each(edits)("and counts no more after: %s", async (command) => {
    const on = await passedOnce()
    const hive = await hiveOn(on.dir)
    await ensured(hive)
    expect(on.runs()).toBe(1)
    on.sh(command)
    await ensured(hive)
    expect(on.runs()).toBe(2)
  })

  it("a write beside it is not checked: completing is refused, by file", async () => {
    const on = await withCheck("node check.js && node wait.js")
    on.sh("echo good > src/a.txt")
    const go = join(on.dir, ".hivemind/artifacts/go")
    mkdirSync(join(go, ".."), { recursive: true })
    const began = join(on.dir, ".hivemind/artifacts/began")
    writeFileSync(
      join(on.dir, "wait.js"),
      `const fs=require("fs"); fs.writeFileSync(${JSON.stringify(began)},""); const t=setInterval(()=>{ if (fs.existsSync(${JSON.stringify(go)})) clearInterval(t) }, 5)`,
    )
    const completing = on.complete()
    await expect.poll(() => exists(began), { timeout: 10_000 }).toBe(true)
    const filePath = join(on.dir, "src/a.txt")
    await on.call({
      tool: "write",
      args: { filePath, content: "bad" },
      run: () => writeFileSync(filePath, "bad\n"),
    })
    writeFileSync(go, "")
    expect(await completing).toMatchObject({
      status: "error",
      why: expect.stringContaining("src/a.txt changed while it ran"),
    })
    expect(await on.complete()).toMatchObject({ status: "error", why: expect.stringContaining("exit 3") })
  })

  it("a new file beside it counts as well, if another call was under way", async () => {
    const on = await withCheck("node check.js && echo report > report.txt")
    on.sh("echo good > src/a.txt")
    const other = await on.begin({ tool: "bash", args: { command: "make x" } })
    expect(await on.complete()).toMatchObject({ why: expect.stringContaining("report.txt changed") })
    await other.end()
    expect(await on.complete()).toMatchObject({ status: "success" })
  })

  it("a new file that a program left running puts there meanwhile has to stand the check too", async () => {
    const on = await withBeside("src/late.txt", 1)
    expect(await on.complete()).toMatchObject({
      status: "error",
      why: expect.stringContaining("exit 3: late"),
    })
    expect(on.runs()).toBe(2)
    on.sh("echo good > src/late.txt")
    expect(await on.complete()).toMatchObject({ status: "success" })
  })

  it("files that come up beside every run are nobody's evidence, and the run counts for no state", async () => {
    const on = await withBeside("src/late-a.txt other/late-b.txt", 2, "good")
    expect(await on.complete()).toMatchObject({
      status: "error",
      why: expect.stringMatching(/not on the files as they are now: other\/late-b.txt changed while it ran/),
    })
    expect(on.runRecords().map(({ tree }) => tree)).toEqual([null, null])
    expect(await on.complete()).toMatchObject({ status: "success" })
  })

  it("who writes the same file beside both runs is taken for the check", async () => {
    const on = await withBeside("other/late.txt other/late.txt", 2, "good")
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs()).toBe(2)
  })

  /** A check that fails over a bad file in `src`, and a program in the background that writes beside its first runs. */
  async function withBeside(paths: string, times: number, text = "bad") {
    const on = await withCheck("node check.js && node wait.js")
    const signs = await tempProject()
    const files = JSON.stringify(paths.split(" "))
    writeFileSync(
      join(on.dir, "wait.js"),
      `const fs=require("fs"); const n=fs.readFileSync(process.env.HIVEMIND_RUNS,"utf8").split("\\n").length-1;
      if (fs.readdirSync("src").some((f)=>f.startsWith("late")&&fs.readFileSync("src/"+f,"utf8").includes("bad"))) { console.log("late"); process.exit(3) }
      fs.writeFileSync("${signs}/began"+n,"");
      if (n <= ${times}) { const t=setInterval(()=>{ if (fs.existsSync("${signs}/go"+n)) clearInterval(t) }, 5) }`,
    )
    writeFileSync(
      join(signs, "beside.js"),
      `const fs=require("fs"); let n=1; const t=setInterval(()=>{ if (!fs.existsSync("${signs}")) process.exit();
      if (!fs.existsSync("${signs}/began"+n)) return;
      fs.writeFileSync(${files}[n-1],"${text} "+n+"\\n"); fs.writeFileSync("${signs}/go"+n,""); if (n++ === ${times}) clearInterval(t) }, 5)`,
    )
    on.sh("echo good > src/a.txt")
    await on.bash(`node ${signs}/beside.js >/dev/null 2>&1 &`)
    return on
  }

  async function hiveOn(dir: string) {
    const { openProcess } = await import("../../support/hive-at-work.ts")
    return openProcess(dir)
  }

  /** What is missing of the check alone. */
  async function ensured(hive: Awaited<ReturnType<typeof hiveOn>>) {
    const { ensureVerified } = await import("../../../src/work/task/verify.ts")
    const [task] = hive.store.read().state.task.values()
    if (task === undefined) throw new Error("there is a task")
    return ensureVerified(hive, { session: "ses_1", agent: null, tool: "test" }, task, ANY)
  }
})

describe("what a check writes itself is no reason against it", () => {
  const NOW = "node -p 'process.hrtime.bigint()'"
  const products: Record<string, string> = {
    "a report that is there already": `${NOW} > junit.xml`,
    "a snapshot that is under git": `${NOW} > src/snap.txt`,
    "a folder that is made anew": `rm -rf coverage && mkdir -p coverage/src && ${NOW} > coverage/src/a.html`,
    "reports with a new name each time": `mkdir -p out && echo x > out/run-$(${NOW}).xml`,
    "files with random names": "mkdir -p tmp && mktemp tmp/XXXXXXXX",
    "a file that it puts in and takes away by turns":
      "if [ -f other/t ]; then rm other/t; else echo x > other/t; fi",
  }
  it.each(Object.entries(products))("%s", async (_, writes) => {
    const on = await withCheck(`node check.js && ${writes}`)
    on.sh("echo old > junit.xml; echo old > src/snap.txt; git add src; echo good > src/a.txt")
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs()).toBe(2)
  })

  it("nothing is learned from a run while another call that may write is under way", async () => {
    const verify = `node check.js && ${NOW} > junit.xml`
    const on = await withCheck(verify)
    on.sh("echo good > src/a.txt; echo old > junit.xml")
    const other = await on.begin({ tool: "bash", args: { command: "make x" } })
    expect(await on.complete()).toMatchObject({ why: expect.stringContaining("junit.xml changed") })
    const before = on.runs()
    await other.end()
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs() - before).toBe(2)
  })

  it("known after two runs: the next task with that check pays for one", async () => {
    const verify = `node check.js && ${NOW} > junit.xml`
    const on = await withCheck(verify)
    on.sh("echo good > src/a.txt")
    await on.complete()
    const [plan] = on.state().plan.values()
    const tasks = [{ title: "Next", expected_output: "x", verify }]
    const planned = await on.own("plan", { action: "plan_tasks", plan_id: plan?.id, tasks })
    await on.own("task", { action: "start", task_id: planned.tasks[0].entity_id })
    on.sh("echo more > src/more.txt")
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs()).toBe(3)
  })

  it("one that puts files in order passes on them as they are then", async () => {
    const on = await withCheck("node check.js && echo ordered > src/b.txt")
    on.sh("echo messy > src/b.txt; echo good > src/a.txt")
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs()).toBe(2)
  })

  it("nothing written, or only what git ignores: it runs once", async () => {
    const on = await withCheck("node check.js && date > report.log")
    on.sh("echo good > src/a.txt; echo '*.log' > .gitignore")
    expect(await on.complete()).toMatchObject({ status: "success" })
    expect(on.runs()).toBe(1)
  })
})

describe("running it", () => {
  it("asks the user's rules for the shell, shows how far it is, and is not run where they say no", async () => {
    const { hive, task } = await hiveAtWork()
    await hive.store.write(by, (tx) => tx.set("task", task, { verify: "echo checked" }))
    const caller = { session: "ses_1", agent: null, tool: "test" }
    const asked: string[] = []
    const denied = async (command: string) => {
      asked.push(command)
      throw new Error("the user's rules say no")
    }
    await expect(completeTask(hive, caller, task, "x", { ...ANY, mayRun: denied })).rejects.toThrow("say no")
    expect(asked).toEqual(["echo checked"])
    expect(hive.store.read().state.checkpoint.size).toBe(0)
    const shown: string[] = []
    await completeTask(hive, caller, task, "x", { ...ANY, show: ({ title }) => void shown.push(title) })
    expect(shown[0]).toContain("echo checked")
  })

  it("ends after verify_minutes, and with the turn", async () => {
    expect(defaultConfig.verify_minutes).toBe(10)
    const { hive, task } = await hiveAtWork({ verify_minutes: 0.002 })
    await hive.store.write(by, (tx) => tx.set("task", task, { verify: "sleep 60" }))
    expect(await callTool(hive, "task", { action: "complete", evidence: "x" })).toMatchObject({
      why: expect.stringContaining("did not end within 0.002 minutes"),
    })
    const caller = { session: "ses_1", agent: null, tool: "test" }
    const signal = AbortSignal.abort()
    await expect(completeTask(hive, caller, task, "x", { ...ANY, signal })).rejects.toThrow("was stopped")
  })

  it("is over with the command, and ends what that left running", async () => {
    const { hive, task } = await hiveAtWork()
    appendFileSync(join(hive.dir, "leaves.sh"), "sleep 300 & echo checked\n")
    await hive.store.write(by, (tx) => tx.set("task", task, { verify: "sh leaves.sh" }))
    expect(await callTool(hive, "task", { action: "complete", evidence: "x" })).toMatchObject({
      status: "success",
    })
  })

  const hidden: [string, string][] = [
    ["false | tail -1", "failed with exit 1"],
    ["(echo 2 failed; exit 7) 2>&1 | tee out.log", "failed with exit 7"],
    ["seq 1 100000 | head -1", "cut off by the command behind it"],
    ["false &", "in the background"],
    ["(node check.js &)", "in the background"],
    ["false & # c", "in the background"],
    ["false & true", "in the background"],
    ["false & wait", "in the background"],
    ["setsid false", "in the background"],
    ["echo $(false &)", "in the background"],
    ["bash -c 'node check.js &'", "in the background"],
    ['sh -c "false & true"', "in the background"],
    ["sudo bash -ec 'false & true'", "in the background"],
    ["eval 'false &'", "in the background"],
    ["env setsid -f false", "in the background"],
    ["/usr/bin/setsid false", "in the background"],
    [`true ${"x".repeat(12_000)}; false &`, "in the background"],
  ]
  it.each(hidden)("a failure does not hide: %s", async (verify, why) => {
    const { hive, task } = await hiveAtWork()
    await hive.store.write(by, (tx) => tx.set("task", task, { verify }))
    expect(await callTool(hive, "task", { action: "complete", evidence: "x" })).toMatchObject({
      status: "error",
      why: expect.stringContaining(why),
    })
  })

  it.each([
    "seq 1 100000 | grep -q 7",
    "yes | head -1",
    "true && true",
    "sh -c 'true && true 2>&1'",
    "echo ok | tail -1 2>&1",
  ])("what is cut off on purpose has not failed: %s", async (verify) => {
    const { hive, task } = await hiveAtWork()
    await hive.store.write(by, (tx) => tx.set("task", task, { verify }))
    expect(await callTool(hive, "task", { action: "complete", evidence: "x" })).toMatchObject({
      status: "success",
    })
  })

  it("is refused where the gate would refuse the same command in a shell", async () => {
    const { complete, sh, runs, dir } = await withCheck("node check.js && rm -rf src .git")
    sh("echo good > src/a.txt")
    expect(await complete()).toMatchObject({ status: "refused" })
    expect(runs()).toBe(0)
    expect(exists(join(dir, "src/a.txt"))).toBe(true)
  })
})

describe("a task without a check", () => {
  it("is not completed with words alone", async () => {
    const { hive } = await hiveAtWork()
    const done = (evidence: string) => callTool(hive, "task", { action: "complete", evidence })
    appendFileSync(join(hive.dir, "old.txt"), "x")
    expect(await done("I did it, see nothing.txt")).toMatchObject({
      status: "error",
      why: expect.stringContaining("something that it left behind"),
    })
    expect(await callTool(hive, "task", { action: "status" })).toMatchObject({ missing: [] })
  })

  it("is, with a changed file, a run, a mem, or the name of a file that was made for it", async () => {
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

  /** A task at hand in a repository, of which nothing but these commands was run; each ended with 0. */
  async function completedAfter(title: string, ...commands: string[]) {
    const on = connectedAt(gitRepo(await tempProject()))
    await on.own("session", { action: "update", level: "action", content: title })
    for (const command of commands) await on.call({ tool: "bash", args: { command } })
    return (await on.own("task", { action: "complete", evidence: "it is done" })).status
  }

  const empty: [string, string][] = [
    ["Write the parser", "git tag parser-done"],
    ["Write the parser", "git fetch"],
    ["Write the parser", "npm test || true"],
    ["Write the parser", "npm test; echo tests ran"],
    ["Check that the tests pass", "npm test 2>&1 | tail -5"],
    ["Tag the release", "git tag"],
  ]
  it.each(empty)("%s: `%s` leaves nothing behind", async (title, command) => {
    expect(await completedAfter(title, command)).toBe("error")
  })

  const full: [string, string][] = [
    ["Check that the tests pass", "npm test 2>&1"],
    ["Find out whether it builds", "cd app && npm run build && echo built"],
    ["Tag the release", "git tag v1.2.0"],
    ["Ship it", "git push origin main"],
    ["Keep what is there", "git add -A && git commit -m 'As it was'"],
  ]
  it.each(full)("%s: `%s` does", async (title, command) => {
    expect(await completedAfter(title, command)).toBe("success")
  })

  it("a delegate whose every call was refused cannot complete what it was given", async () => {
    const dir = gitRepo(await tempProject())
    const on = connectedAt(dir, { governance: "strict" })
    const { entity_id } = await on.own("plan", { action: "create", title: "P", acceptance: [] })
    const tasks = [{ title: "Write it", expected_output: "x", allowed_tools: ["read"] }]
    const planned = await on.own("plan", { action: "plan_tasks", plan_id: entity_id, tasks })
    await on.own("task", { action: "start", task_id: planned.tasks[0].entity_id })
    const filePath = join(dir, "out.txt")
    const refused = await on.call({ tool: "write", args: { filePath, content: "x" } })
    expect(refused.refusal).toContain("may not be used")
    expect((await on.bash("echo x > out.txt")).refusal).toContain("may not be used")
    const reply = await on.own("task", { action: "complete", evidence: "a.txt and out.txt are written" })
    expect(reply).toMatchObject({ status: "error", why: expect.stringContaining("left behind") })
  })
})

function exists(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}

const ANY: RunningCall = {
  mayRun: async () => {},
  mayStart: async () => {},
  show: () => {},
  signal: new AbortController().signal,
}
