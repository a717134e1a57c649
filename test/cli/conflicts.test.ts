import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { sharedGraph } from "../support/clones.ts"
import { GIT_ENV, git } from "../support/git-repo.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { withStore } from "./filled-project.ts"
import { cli, cliProcess, dropSandbox, makeSandbox, type Sandbox } from "./harness.ts"

let box: Sandbox
let team: Team
beforeEach(async () => {
  box = await makeSandbox()
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  team = makeTeam(box.root)
  await withStore(team.anna, (store) =>
    store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      tx.add("task", aTask(3, 1, 2, { status: "active", title: "Build login" }))
      tx.add("mem", aMem(10))
    }),
  )
  await inClone(team.anna, "sync", "--yes")
  await inClone(team.bert, "sync", "--restore")
  await withStore(team.anna, (store) =>
    store.write(by, (tx) => {
      tx.set("task", uuid(3), { status: "completed", evidence: "it works" })
      tx.set("mem", uuid(10), { content: "Anna's" })
    }),
  )
  await withStore(team.bert, (store) =>
    store.write(by, (tx) => {
      tx.set("task", uuid(3), { status: "failed", reason: "it broke" })
      tx.set("mem", uuid(10), { content: "Bert's" })
    }),
  )
  await inClone(team.anna, "sync")
  await inClone(team.bert, "sync")
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await dropSandbox(box)
})

const inClone = (dir: string, ...args: string[]) => cli(box, args, dir)

test("a conflict is listed with its record, what stands, what lost, and how to settle it", async () => {
  const { stdout, code } = await inClone(team.bert, "sync", "conflicts")
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^[0-9a-f]{8} {2}task "Build login": done in one clone, given up in another {2}\d{4}-/,
  )
  expect(stdout).toContain("current: status failed")
  expect(stdout).toContain("other:   status completed")
  expect(stdout).toMatch(/\(clone \w{8}\)/)
  expect(stdout).toMatch(/`hivemind sync conflicts settle [0-9a-f]{8} --take kept`, or `--take lost`/)
  expect(stdout).not.toContain("mem")
  const all = await inClone(team.bert, "sync", "conflicts", "--all")
  expect(all.stdout).toContain("settled by rule")
  expect(all.stdout).toMatch(/mem "(Anna|Bert)'s": changed by two clones/)
})

test("what lost is taken by the real program, and the next sync tells the other clone", async () => {
  const listed = JSON.parse((await inClone(team.bert, "sync", "conflicts", "--json")).stdout)
  expect(listed.conflicts).toMatchObject([{ rule: "ends", status: "open", record: 'task "Build login"' }])
  const id = listed.conflicts[0].id.slice(0, 8)
  const { code, stdout } = await cliProcess({ ...box, project: team.bert }, [
    "sync",
    "conflicts",
    "settle",
    id,
    "--take",
    "lost",
  ])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Settled: task "Build login", status completed.*\.\nNo more conflicts\.\n$/)
  await inClone(team.bert, "sync")
  await inClone(team.anna, "sync")
  expect((await inClone(team.anna, "sync", "conflicts")).stdout).toBe("No conflicts.\n")
  const [annas, berts] = await Promise.all(
    [team.anna, team.bert].map((dir) => withStore(dir, async (store) => sharedGraph(store))),
  )
  expect(annas).toEqual(berts)
  const task = await withStore(team.anna, async (store) => store.read().state.task.get(uuid(3)))
  expect(task).toMatchObject({ status: "completed", evidence: "it works" })
})

test("the log says which clone an entry came from", async () => {
  const { stdout } = await inClone(team.anna, "sync")
  expect(stdout).toContain("1 conflict")
  for (const dir of [team.anna, team.bert])
    expect((await inClone(dir, "log")).stdout).toMatch(/ {2}test {2}\[from clone [0-9a-f]{8}\]\n/)
})

test("status and doctor say that there is something to settle, and how far the log is", async () => {
  const { stdout } = await inClone(team.bert, "status")
  expect(stdout).toContain("conflicts  1 to settle: `hivemind sync conflicts`")
  expect(stdout).toContain("sync       all in the repository's log, of 2 clones; shared with origin")
  await withStore(team.bert, (store) => store.append(by, (tx) => tx.add("mem", aMem(11))))
  const { sync, conflicts } = JSON.parse((await inClone(team.bert, "status", "--json")).stdout)
  expect([conflicts, sync]).toEqual([
    1,
    { isBegun: true, unsaved: 1, clones: 2, remote: "origin", isSent: true },
  ])
  const doctor = await inClone(team.bert, "doctor", "--no-start", "--json")
  const checks = JSON.parse(doctor.stdout).checks as { name: string; level: string; found: string[] }[]
  const of = (name: string) => checks.find((check) => check.name === name)
  expect(of("conflicts")).toMatchObject({ level: "warning", found: ["1 conflict between clones"] })
  expect(of("sync")).toMatchObject({
    level: "ok",
    found: [expect.stringContaining("1 not in the repository's log")],
  })
})

test("a log that git cannot read is a trouble that doctor tells", async () => {
  writeFileSync(join(team.bert, ".git", "HEAD"), "nonsense")
  const { stdout } = await inClone(team.bert, "doctor", "--no-start", "--json")
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({
      name: "sync",
      level: "trouble",
      found: [expect.stringContaining("repository's log")],
    }),
  )
  expect((await inClone(team.bert, "status")).code).toBe(0)
})

test("before the first sync status says that there was none; without git it says nothing", async () => {
  git(box.root, "clone", "-q", team.remote, "carl")
  const carl = join(box.root, "carl")
  await withStore(carl, (store) => store.append(by, (tx) => tx.add("mem", aMem(11))))
  expect((await inClone(carl, "status")).stdout).toContain("sync       not shared; `hivemind sync`")
  await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(11))))
  expect((await cli(box, ["status"])).stdout).not.toMatch(/^sync/m)
})

test("wrong usage says how it is done", async () => {
  for (const [args, words] of [
    [["settle"], "hivemind sync conflicts settle <id> --take kept"],
    [["settle", "1a2b3c4d"], "hivemind sync conflicts settle 1a2b3c4d --take kept"],
    [["settle", "1a2b3c4d", "--take", "both"], "Allowed choices are kept, lost"],
    [["mend", "x"], "Allowed choices are settle"],
  ] as const) {
    const { code, stderr } = await inClone(team.bert, "sync", "conflicts", ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  }
  const { code, stderr } = await inClone(
    team.bert,
    "sync",
    "conflicts",
    "settle",
    "ffffffff",
    "--take",
    "kept",
  )
  expect([code, stderr]).toEqual([1, expect.stringContaining("There is no conflict ffffffff")])
})
