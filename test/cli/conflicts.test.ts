import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { sharedGraph } from "../support/clones.ts"
import { git } from "../support/git-repo.ts"
import { addPlan, aMem, aTask, by, uuid } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { addMem, withStore } from "./filled-project.ts"
import { cli, cliJson, cliProcess, shown, useSandbox } from "./harness.ts"

const box = useSandbox(async (sandbox) => {
  const team = makeTeam(sandbox.root)
  const sync = (dir: string, ...more: string[]) => cli(sandbox, ["sync", ...more], dir)
  await withStore(team.anna, (store) =>
    store.write(by, (tx) => {
      addPlan(tx)
      tx.add("task", aTask(3, 1, 2, { status: "active", title: "Build login" }))
      tx.add("mem", aMem(10))
    }),
  )
  await sync(team.anna, "--yes")
  await sync(team.bert, "--restore")
  const change = (dir: string, task: object, content: string) =>
    withStore(dir, (store) =>
      store.write(by, (tx) => {
        tx.set("task", uuid(3), task)
        tx.set("mem", uuid(10), { content })
      }),
    )
  await change(team.anna, { status: "completed", evidence: "it works" }, "Anna's")
  await change(team.bert, { status: "failed", reason: "it broke" }, "Bert's")
  await sync(team.anna)
  return { ...team, found: (await sync(team.bert)).stdout }
})
const anna = (args: string) => shown(box, args, box.anna)
const bert = (args: string) => shown(box, args, box.bert)

test("sync reports a conflict, and the list shows its record, both values and how to settle it", async () => {
  expect(box.found).toContain("1 conflict: settle with `hivemind sync conflicts`.")
  const stdout = await bert("sync conflicts")
  expect(stdout).toMatch(
    /^[0-9a-f]{8} {2}task "Build login": done in one clone, given up in another {2}\d{4}-/,
  )
  expect(stdout).toContain("current: status failed")
  expect(stdout).toContain("other:   status completed")
  expect(stdout).toMatch(/\(clone \w{8}\)/)
  expect(stdout).toMatch(/`hivemind sync conflicts settle [0-9a-f]{8} --take kept`, or `--take lost`/)
  expect(stdout).not.toContain("mem")
  const all = await bert("sync conflicts --all")
  expect(all).toContain("settled automatically, by a rule of the merge")
  expect(all).toMatch(/mem "(Anna|Bert)'s": changed by two clones/)
})

test("--take lost restores the lost value, and the next sync brings it to the other clone", async () => {
  const { conflicts } = await cliJson(box, "sync conflicts", box.bert)
  expect(conflicts).toMatchObject([{ rule: "ends", status: "open", record: 'task "Build login"' }])
  const settle = `sync conflicts settle ${conflicts[0].id.slice(0, 8)} --take lost`
  const { code, stdout } = await cliProcess({ ...box, project: box.bert }, settle)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Settled: task "Build login", status completed.*\.\nNo more conflicts\.\n$/)
  await bert("sync")
  await anna("sync")
  expect(await anna("sync conflicts")).toBe("No conflicts.\n")
  const [annas, berts] = await Promise.all(
    [box.anna, box.bert].map((dir) => withStore(dir, async (store) => sharedGraph(store))),
  )
  expect(annas).toEqual(berts)
  const task = await withStore(box.anna, async (store) => store.read().state.task.get(uuid(3)))
  expect(task).toMatchObject({ status: "completed", evidence: "it works" })
})

test("the log says which clone an entry came from", async () => {
  expect(await anna("sync")).toContain("1 conflict")
  for (const log of [await anna("log"), await bert("log")])
    expect(log).toMatch(/ {2}test {2}\[from clone [0-9a-f]{8}\]\n/)
})

test("status and doctor mention open conflicts and the state of the last sync", async () => {
  const status = await bert("status")
  expect(status).toContain("conflicts  1 to settle: `hivemind sync conflicts`")
  expect(status).toContain("sync       all entries in the repository's log (2 clones); shared with origin")
  await addMem(box.bert, 11)
  const sync = { isBegun: true, unsaved: 1, clones: 2, remote: "origin", isSent: true }
  expect(await cliJson(box, "status", box.bert)).toMatchObject({ conflicts: 1, sync })
  const { checks } = await cliJson(box, "doctor --no-start", box.bert)
  const of = (wanted: string) => checks.find(({ name }: { name: string }) => name === wanted)
  expect(of("conflicts")).toMatchObject({ level: "warning", found: ["1 conflict between clones"] })
  const unsaved = expect.stringContaining("1 entry not in the repository's log")
  expect(of("sync")).toMatchObject({ level: "ok", found: [unsaved] })
})

test("doctor reports a log that git cannot read", async () => {
  writeFileSync(join(box.bert, ".git", "HEAD"), "nonsense")
  const { checks } = await cliJson(box, "doctor --no-start", box.bert)
  const found = [expect.stringContaining("repository's log")]
  expect(checks).toContainEqual(expect.objectContaining({ name: "sync", level: "trouble", found }))
  expect((await cli(box, "status", box.bert)).code).toBe(0)
})

test("before the first sync status says that there was none; without git it says nothing", async () => {
  git(box.root, "clone", "-q", box.remote, "carl")
  const carl = join(box.root, "carl")
  await addMem(carl, 11)
  expect(await shown(box, "status", carl)).toContain("sync       not shared; `hivemind sync`")
  await addMem(box.project, 11)
  expect(await shown(box, "status")).not.toMatch(/^sync/m)
})

test("wrong usage is answered with the right usage", async () => {
  for (const [args, exit, words] of [
    ["settle", 2, "hivemind sync conflicts settle <id> --take kept"],
    ["settle 1a2b3c4d", 2, "hivemind sync conflicts settle 1a2b3c4d --take kept"],
    ["settle 1a2b3c4d --take both", 2, "Allowed choices are kept, lost"],
    ["mend x", 2, "Allowed choices are settle"],
    ["settle ffffffff --take kept", 1, "There is no conflict ffffffff"],
  ] as const) {
    const { code, stderr } = await cli(box, `sync conflicts ${args}`, box.bert)
    expect([code, stderr]).toEqual([exit, expect.stringContaining(words)])
  }
})
