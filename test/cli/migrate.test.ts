import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { asNobody } from "../support/as-nobody.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { everyFile } from "./filled-project.ts"
import { cli, projectFiles, shown, useSandbox } from "./harness.ts"

const box = useSandbox()
const { at, has, read, put } = projectFiles(box)
const migrate = (args = "", cwd?: string) => cli(box, `import migrate${args}`, cwd)
const stdoutOf = async (args: string, cwd?: string) => (await cli(box, args, cwd)).stdout

test("a dry run shows what the real run would do, and writes nothing", async () => {
  copyOldLayout("g1", box.project)
  const before = await everyFile(box.project)
  const dry = await shown(box, "import migrate --dry-run")
  expect(dry).toContain("A dry run: nothing was written.")
  expect(dry).toContain("39 source records in 7 files")
  expect(dry).toContain("6 old files in .hivemind/ would be kept as .bak")
  expect(await everyFile(box.project)).toEqual(before)
  const taken = "16: 1 plan, 3 phases, 4 tasks, 2 sessions, 3 current positions, 4 mems, 2 anchors"
  expect(await shown(box, "import migrate")).toContain(taken)
  expect(has(".hivemind/mems.json.bak")).toBe(true)
})

test("--json prints the report; quarantined records cause exit code 1; a second run finds nothing", async () => {
  copyOldLayout("damaged", box.project)
  const { code, stdout } = await migrate(" --json")
  const { moves, ...json } = JSON.parse(stdout)
  const sources = { total: 24, taken: 8, already: 0, quarantined: 5, ignored: 11 }
  expect(json).toMatchObject({ status: "success", dry_run: false, report: { sources } })
  expect([code, moves.length]).toEqual([1, 6])
  expect(await shown(box, "import migrate")).toBe(
    "There is nothing to migrate: no files of older versions, or all of them are in the graph.\n",
  )
})

test("--from migrates another folder's files and keeps them; a missing folder is wrong usage", async () => {
  copyOldLayout("idumb-2", box.home)
  const before = await everyFile(box.home)
  const { stdout } = await migrate(` --from ${box.home}`)
  expect(stdout).toContain("The old files stay as they are.")
  expect(await everyFile(box.home)).toEqual(before)
  expect(await shown(box, "tasks")).toContain("Draw the chart")
  expect((await migrate(" --from nowhere")).code).toBe(2)
})

test("mentions old files in the current folder until all are migrated, and again when one changes", async () => {
  gitRepo(box.project)
  const inner = at("packages/app")
  mkdirSync(inner, { recursive: true })
  copyOldLayout("g1", inner)
  const hint = async () => (await migrate("", inner)).stdout.includes(`import migrate --from ${inner}`)
  expect(await hint()).toBe(true)
  mkdirSync(join(inner, "src"))
  expect((await migrate("", join(inner, "src"))).stdout).toBe(
    `There is nothing to migrate in ${box.project}.\n` +
      `Files of an older version are in ${inner}: \`hivemind import migrate --from ${inner}\` converts them.\n`,
  )
  await migrate(" --from .", inner)
  expect(await hint()).toBe(false)
  put("packages/app/.hivemind/mems.json", '{"mems":[{"content":"Another"}]}')
  expect(await hint()).toBe(true)
  await migrate(" --from .", inner)
  await migrate(" --undo", inner)
  expect(await hint()).toBe(true)
})

test.each(["g1", "g3"])("also mentions files of %s that only a linked worktree has", async (layout) => {
  gitRepo(box.project)
  const linked = join(box.home, "of two words")
  git(box.project, "worktree", "add", "-q", "-b", "other", linked)
  copyOldLayout(layout, linked)
  mkdirSync(join(linked, "src"))
  const { stdout } = await migrate("", join(linked, "src"))
  expect(stdout).toContain(`hivemind import migrate --from "${linked}"`)
  await cli(box, ["import", "migrate", "--from", linked], linked)
  expect(has(".hivemind/graph/log")).toBe(true)
  expect(existsSync(join(linked, ".hivemind/graph/log"))).toBe(false)
})

test("a folder that cannot be written is named, and what only waits for its move is in the graph", async () => {
  copyOldLayout("g1", box.project)
  await migrate(" --dry-run")
  const sessions = at(".hivemind/sessions")
  const { code, stderr } = await asNobody(box.root, { [sessions]: 0o555 }, () => migrate())
  expect([code, stderr]).toEqual([4, expect.stringContaining(`Make ${sessions} writable`)])
  const waiting = ".hivemind/sessions/manifest.json"
  const line = `5 files of an older tool are in the graph but could not be renamed to .bak (${waiting}, `
  for (const args of ["status", "doctor --no-start"]) {
    const stdout = await stdoutOf(args)
    expect(stdout, args).toContain(line)
    expect(stdout, args).not.toContain("not in the graph yet")
  }
  expect((await migrate()).stdout).toContain("6 old files in .hivemind/ are kept as .bak")
  expect(await stdoutOf("status")).not.toContain("older tool")
})

test("a record leaves quarantine once its file is repaired and read again", async () => {
  copyOldLayout("g1", box.project)
  const mems = (...more: object[]) =>
    put(".hivemind/mems.json", JSON.stringify({ mems: [{ content: "Ports begin at 8000" }, ...more] }))
  const quarantine = "of older or other tools could not be used."
  mems({ tags: ["x"] }, { tags: ["y"] })
  expect((await migrate()).code).toBe(1)
  expect(await stdoutOf("status")).toContain(`2 records ${quarantine}`)
  mems({ content: "Mended" }, { tags: ["y"] })
  await migrate()
  expect(await stdoutOf("status")).toContain(`1 record ${quarantine}`)
  // As an earlier version has noted a file that it could not read.
  const row = (by: string) =>
    `${JSON.stringify({ by, from: ".hivemind/mems.json", reason: "r", original: null })}\n`
  const other = row("hivemind import beads")
  put(".hivemind/graph/quarantine.jsonl", row("migrate") + other)
  mems({ content: "Mended" }, { content: "Mended too" })
  await migrate()
  expect(read(".hivemind/graph/quarantine.jsonl")).toBe(other)
})

test("--undo restores all old files", async () => {
  copyOldLayout("g3", box.project)
  const names = () => readdirSync(at(".hivemind"), { recursive: true, encoding: "utf8" })
  const copies = () => names().filter((name) => name.endsWith(".bak"))
  await migrate()
  expect(copies()).toHaveLength(17)
  const undone = await shown(box, "import migrate --undo")
  expect(undone).toContain("31 records removed from the graph, 17 files restored.")
  expect(copies()).toEqual([])
  expect(names()).not.toContain(".gitignore")
  expect(await shown(box, "import migrate --undo")).toContain("There is nothing to undo")
  expect((await migrate(" --undo --dry-run")).code).toBe(2)
})

test("--undo lets git see what it saw before, also the second time, and where git has the .gitignore", async () => {
  copyOldLayout("g3", box.project)
  const seen = () => git(box.project, "status", "--porcelain", "--untracked-files=all")
  git(box.project, "init", "-q")
  for (const prepare of [
    () => {},
    () => {},
    () => put(".hivemind/.gitignore", "tmp/\n"),
    () => git(box.project, "add", ".hivemind/.gitignore"),
  ]) {
    prepare()
    const before = seen()
    await migrate()
    expect(seen()).not.toContain("graph/")
    await migrate(" --undo")
    expect(seen()).toBe(before)
  }
})

test("before the migration, status, doctor, recall and pack mention the old files", async () => {
  copyOldLayout("g3", box.project)
  expect(await stdoutOf("status")).toContain("19 files of an older tool are not in the graph yet")
  for (const args of ["recall zebra", "context pack", "doctor --no-start"])
    expect(await stdoutOf(args), args).toContain("`hivemind import migrate")
  await migrate()
  expect(await stdoutOf("recall jose")).toContain("Use jose")
  const status = await stdoutOf("status")
  expect(status).not.toContain("not in the graph yet")
  expect(status).toContain("1 record of older or other tools could not be used.")
  expect(await stdoutOf("doctor --no-start")).toContain("older or other tools could not be used")
  await migrate(" --undo")
  expect(await stdoutOf("status")).not.toContain("older or other tools could not be used")
})

test("shows the records of old files in a project without a hive, and doctor says what to do", async () => {
  copyOldLayout("g1", box.project)
  const status = await shown(box, "status")
  expect(status).toContain("no graph yet; the first write makes it")
  expect(status).toContain("`hivemind import migrate` migrates them")
  for (const prepare of [() => {}, () => git(box.project, "init", "-q")]) {
    prepare()
    const { code, stderr } = await cli(box, "doctor --no-start")
    expect(code).toBe(3)
    expect(stderr).toContain(
      "The HiveMind files here were made by an older version and are not migrated yet.",
    )
    expect(stderr).toContain("Run `hivemind import migrate` to convert them")
    expect(stderr).not.toContain("has no `.hivemind/` folder")
  }
})
