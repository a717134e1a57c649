import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { asNobody } from "../support/as-nobody.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { everyFile } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()

test("a dry run tells what the real run does, and writes nothing", async () => {
  copyOldLayout("g1", box.project)
  const before = await everyFile(box.project)
  const dry = await cli(box, ["import", "migrate", "--dry-run"])
  expect({ code: dry.code, stderr: dry.stderr }).toEqual({ code: 0, stderr: "" })
  expect(dry.stdout).toContain("A dry run: nothing was written.")
  expect(dry.stdout).toContain("39 source records in 7 files")
  expect(dry.stdout).toContain("6 old files in .hivemind/ would be kept beside as .bak")
  expect(await everyFile(box.project)).toEqual(before)
  const real = await cli(box, ["import", "migrate"])
  expect(real.code).toBe(0)
  expect(real.stdout).toContain("16: 1 plan, 3 phases, 4 tasks, 2 sessions, 3 read-heads, 4 mems, 2 anchors")
  expect(existsSync(join(box.project, ".hivemind/mems.json.bak"))).toBe(true)
})

test("--json has the report; what is in quarantine is exit code 1; a second run finds nothing", async () => {
  copyOldLayout("damaged", box.project)
  const { code, stdout } = await cli(box, ["import", "migrate", "--json"])
  const { status, dry_run, report, moves } = JSON.parse(stdout)
  expect({ code, status, dry_run, moves: moves.length }).toEqual({
    code: 1,
    status: "success",
    dry_run: false,
    moves: 6,
  })
  expect(report.sources).toEqual({ total: 24, taken: 8, already: 0, quarantined: 5, ignored: 11 })
  const again = await cli(box, ["import", "migrate"])
  expect({ code: again.code, stdout: again.stdout }).toEqual({
    code: 0,
    stdout: "Nothing to take over: no files of older versions, or all of them are in the graph.\n",
  })
})

test("--from takes another folder's files over and leaves them; a folder that is not there is wrong usage", async () => {
  copyOldLayout("idumb-2", box.home)
  const before = await everyFile(box.home)
  const { stdout } = await cli(box, ["import", "migrate", "--from", box.home])
  expect(stdout).toContain("The old files stay as they are.")
  expect(await everyFile(box.home)).toEqual(before)
  expect((await cli(box, ["tasks"])).stdout).toContain("Draw the chart")
  expect((await cli(box, ["import", "migrate", "--from", "nowhere"])).code).toBe(2)
})

test("old files of the folder where one stands are told of", async () => {
  const inner = join(box.project, "packages/app")
  mkdirSync(inner, { recursive: true })
  copyOldLayout("g1", inner)
  execFileSync("git", ["init", "-q"], { cwd: box.project })
  const { stdout } = await cli(box, ["import", "migrate"], inner)
  expect(stdout).toContain(`hivemind import migrate --from ${inner}`)
  const below = join(inner, "src")
  mkdirSync(below)
  expect((await cli(box, ["import", "migrate"], below)).stdout).toBe(
    `Nothing to take over in ${box.project}.\n` +
      `Files of an older version are in ${inner}: \`hivemind import migrate --from ${inner}\` takes them over.\n`,
  )
})

test("and no more once all of them are taken over, until one has changed", async () => {
  const inner = join(box.project, "packages/app")
  mkdirSync(inner, { recursive: true })
  copyOldLayout("g1", inner)
  execFileSync("git", ["init", "-q"], { cwd: box.project })
  const hint = async () => (await cli(box, ["import", "migrate"], inner)).stdout.includes("--from")
  expect(await hint()).toBe(true)
  await cli(box, ["import", "migrate", "--from", "."], inner)
  expect(await hint()).toBe(false)
  writeFileSync(join(inner, ".hivemind/mems.json"), '{"mems":[{"content":"Another"}]}')
  expect(await hint()).toBe(true)
  await cli(box, ["import", "migrate", "--from", "."], inner)
  await cli(box, ["import", "migrate", "--undo"], inner)
  expect(await hint()).toBe(true)
})

test("a folder that cannot be written is named, and what only waits for its move is in the graph", async () => {
  copyOldLayout("g1", box.project)
  await cli(box, ["import", "migrate", "--dry-run"])
  const sessions = join(box.project, ".hivemind/sessions")
  const { code, stderr } = await asNobody(box.root, { [sessions]: 0o555 }, () =>
    cli(box, ["import", "migrate"]),
  )
  expect(code).toBe(4)
  expect(stderr).toContain(`Make ${sessions} writable`)
  const waiting = ".hivemind/sessions/manifest.json"
  const line = `5 files of an older tool are in the graph and could not be moved to .bak (${waiting}, `
  for (const args of [["status"], ["doctor", "--no-start"]]) {
    const { stdout } = await cli(box, args)
    expect(stdout, args[0]).toContain(line)
    expect(stdout, args[0]).not.toContain("not in the graph yet")
  }
  expect((await cli(box, ["import", "migrate"])).stdout).toContain(
    "6 old files in .hivemind/ are kept beside as .bak",
  )
  expect((await cli(box, ["status"])).stdout).not.toContain("older tool")
})

test("what was in quarantine leaves it once its file is mended and read", async () => {
  copyOldLayout("g1", box.project)
  const file = join(box.project, ".hivemind/mems.json")
  const good = '{"content":"Ports begin at 8000"}'
  writeFileSync(file, `{"mems":[${good},{"tags":["x"]},{"tags":["y"]}]}`)
  expect((await cli(box, ["import", "migrate"])).code).toBe(1)
  expect((await cli(box, ["status"])).stdout).toContain("2 records of older or other tools in quarantine")
  writeFileSync(file, `{"mems":[${good},{"content":"Mended"},{"tags":["y"]}]}`)
  await cli(box, ["import", "migrate"])
  expect((await cli(box, ["status"])).stdout).toContain("1 record of older or other tools in quarantine")
  // As an earlier version has noted a file that it could not read.
  const rows = join(box.project, ".hivemind/graph/quarantine.jsonl")
  const row = (by: string, from: string) => `${JSON.stringify({ by, from, reason: "r", original: null })}\n`
  const other = row("hivemind import beads", ".hivemind/mems.json")
  writeFileSync(rows, row("migrate", ".hivemind/mems.json") + other)
  writeFileSync(file, `{"mems":[${good},{"content":"Mended"},{"content":"Mended too"}]}`)
  await cli(box, ["import", "migrate"])
  expect(readFileSync(rows, "utf8")).toBe(other)
})

test.each(["g1", "g3"])("so are those of %s that only a linked worktree has", async (layout) => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: box.project })
  git("init", "-q")
  git("commit", "-q", "--allow-empty", "-m", "first")
  const linked = join(box.home, "of two words")
  git("worktree", "add", "-q", "-b", "other", linked)
  copyOldLayout(layout, linked)
  mkdirSync(join(linked, "src"))
  const { stdout } = await cli(box, ["import", "migrate"], join(linked, "src"))
  expect(stdout).toContain(`hivemind import migrate --from "${linked}"`)
  await cli(box, ["import", "migrate", "--from", linked], linked)
  expect(existsSync(join(box.project, ".hivemind/graph/log"))).toBe(true)
  expect(existsSync(join(linked, ".hivemind/graph/log"))).toBe(false)
})

test("--undo puts it all back", async () => {
  copyOldLayout("g3", box.project)
  const names = () => readdirSync(join(box.project, ".hivemind"), { recursive: true, encoding: "utf8" })
  await cli(box, ["import", "migrate"])
  expect(names().filter((name) => name.endsWith(".bak"))).toHaveLength(17)
  const { code, stdout } = await cli(box, ["import", "migrate", "--undo"])
  expect(code).toBe(0)
  expect(stdout).toContain("31 records taken out of the graph, 17 files put back.")
  expect(names().filter((name) => name.endsWith(".bak"))).toEqual([])
  expect(names()).not.toContain(".gitignore")
  expect((await cli(box, ["import", "migrate", "--undo"])).stdout).toContain("Nothing to put back")
  expect((await cli(box, ["import", "migrate", "--undo", "--dry-run"])).code).toBe(2)
})

test("--undo lets git see what it saw before, also the second time, and where git has the .gitignore", async () => {
  copyOldLayout("g3", box.project)
  const git = (...args: string[]) => execFileSync("git", args, { cwd: box.project, encoding: "utf8" })
  const seen = () => git("status", "--porcelain", "--untracked-files=all")
  git("init", "-q")
  for (const prepare of [
    () => {},
    () => {},
    () => writeFileSync(join(box.project, ".hivemind/.gitignore"), "tmp/\n"),
    () => git("add", ".hivemind/.gitignore"),
  ]) {
    prepare()
    const before = seen()
    await cli(box, ["import", "migrate"])
    expect(seen()).not.toContain("graph/")
    await cli(box, ["import", "migrate", "--undo"])
    expect(seen()).toBe(before)
  }
})

test("until then status, doctor, recall and pack tell of the old files", async () => {
  copyOldLayout("g3", box.project)
  const status = await cli(box, ["status"])
  expect(status.stdout).toContain("19 files of an older tool not in the graph yet")
  for (const args of [
    ["recall", "zebra"],
    ["context", "pack"],
    ["doctor", "--no-start"],
  ])
    expect((await cli(box, args)).stdout, args[0]).toContain("`hivemind import migrate")
  await cli(box, ["import", "migrate"])
  expect((await cli(box, ["recall", "jose"])).stdout).toContain("Use jose")
  const { stdout } = await cli(box, ["status"])
  expect(stdout).not.toContain("not in the graph yet")
  expect(stdout).toContain("1 record of older or other tools in quarantine")
  expect((await cli(box, ["doctor", "--no-start"])).stdout).toContain("in quarantine")
  await cli(box, ["import", "migrate", "--undo"])
  expect((await cli(box, ["status"])).stdout).not.toContain("in quarantine")
})

test("where only old files are, they are shown, and doctor says what to do", async () => {
  copyOldLayout("g1", box.project)
  const status = await cli(box, ["status"])
  expect(status.code).toBe(0)
  expect(status.stdout).toContain("no graph yet; the first write makes it")
  expect(status.stdout).toContain("`hivemind import migrate` migrates them")
  const { code, stderr } = await cli(box, ["doctor", "--no-start"])
  expect(code).toBe(3)
  expect(stderr).toContain("Run `hivemind import migrate` to take them over")
})

test("an old stamp gives its chain", async () => {
  copyOldLayout("g2", box.project)
  await cli(box, ["import", "migrate"])
  const { stdout } = await cli(box, ["log", "trace", "100315112026"])
  for (const part of [
    '"Build auth"',
    '"JWT"',
    "session ",
    "sessions/active/2026-11-15-plan_driven-auth.md:1",
    "exports/session-1794700000000.json",
  ])
    expect(stdout).toContain(part)
})

test("where nothing can be taken over, what the old files hold is shown all the same", async () => {
  copyOldLayout("g1", box.project)
  // A file where a folder is needed: not even root can write there.
  writeFileSync(join(box.project, ".hivemind/system"), "")
  expect((await cli(box, ["import", "migrate"])).code).not.toBe(0)
  const status = (await cli(box, ["status"])).stdout
  expect(status).toContain("Write the refresh endpoint")
  expect(status).toContain("1 plan (1 open), 4 tasks")
  expect(status).toContain("of an older tool not in the graph yet")
  expect((await cli(box, ["tasks"])).stdout).toContain("Rotate the token")
  expect((await cli(box, ["memory", "anchors"])).stdout).toContain("Postgres 16")
  expect((await cli(box, ["recall", "jose"])).stdout).toContain("Use jose")
  expect((await cli(box, ["context", "pack"])).stdout).toContain("Postgres 16")
  expect((await cli(box, ["plans"])).stdout).toContain("Build auth")
})

test("doctor does not say that there is no .hivemind/ where an older tool's is", async () => {
  copyOldLayout("g1", box.project)
  execFileSync("git", ["init", "-q"], { cwd: box.project })
  const { code, stderr } = await cli(box, ["doctor"])
  expect(code).toBe(3)
  expect(stderr).toContain("The files here are of an older version.")
  expect(stderr).not.toContain("has no `.hivemind/` folder")
})
