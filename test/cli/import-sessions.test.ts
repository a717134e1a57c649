import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { keepRules } from "../../src/knowledge/memory/keep-rules.ts"
import { claudeTranscript, type Happened } from "../history/transcript.ts"
import { gitRepo, writeFiles } from "../support/git-repo.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { cli, cliInTerminal, cliJson, hasTerminal, projectFiles, shown, useSandbox } from "./harness.ts"

const HISTORY = ".hivemind/state/history"

const box = useSandbox(({ project }) => {
  const manifest = JSON.stringify({ scripts: { test: "vitest" }, dependencies: {} })
  gitRepo(project, { "package.json": manifest, "src/cache.ts": "" })
  mkdirSync(join(project, ".hivemind/graph"), { recursive: true })
  return {}
})
const { at, has, read, put } = projectFiles(box)

const session = (id: string, happened: readonly Happened[], from?: string) =>
  claudeTranscript(box.home, box.project, id, happened, from)
const threeSessions = (happened: (n: number) => Happened[]) => {
  for (const n of [1, 2, 3]) session(`s${n}`, happened(n), `2026-02-0${n}T10:00:00.000Z`)
}
const imported = (more = "") => cliJson(box, `import sessions${more}`)
const contents = async (more = ""): Promise<string[]> =>
  (await imported(more)).kept.map(({ content }: { content: string }) => content)
const rules = async () => (await cliJson(box, "rules")).rules
const said = async (words: string) => (await cli(box, ["recall", "--history", ...words.split(" ")])).stdout

const WORK: readonly Happened[] = [
  { user: "From now on always run the linter before you commit. The cache loses entries, why?" },
  { run: "npm test", ok: false, output: "Error: expected 3 entries, got 2" },
  { edit: "src/cache.ts" },
  { run: "npm test", ok: false, output: "Error: expected 3 entries, got 2" },
  { say: "The real issue is that `evict()` in cache.ts counts an entry twice when it is refreshed." },
  { edit: "src/cache.ts" },
  { run: "npm test", ok: true },
  { user: "I'd rather keep the LRU cache instead of Redis, because the laptop version has no server." },
  { say: "Done. I replaced the counter in `src/cache.ts` and added a test for refreshed entries." },
]

describe("hivemind import sessions", () => {
  test("keeps rules, decisions, failed approaches and causes with their source, and says so", async () => {
    session("s1", WORK)
    const stdout = await shown(box, "import sessions")
    expect(stdout).toContain("Imported 1 past session (1 of Claude Code; ")
    expect(stdout).toMatch(
      /Rules \(1\)\n {2}From now on always run the linter before you commit\.\n {4}Claude Code session s1, message s1-1, 2026-02-01: /,
    )
    expect(stdout).toContain("Decided by the user: I'd rather keep the LRU cache instead of Redis")
    expect(stdout).toContain("The real issue is that `evict()` in cache.ts counts an entry twice")
    expect(stdout).toMatch(
      /Failed approaches \(1\)\n {2}`npm test` failed 2 times with "Error: expected 3 entries, got 2"; it passed after src\/cache\.ts was changed\./,
    )
    expect(JSON.stringify(await cliJson(box, "memory"))).toContain("history")
  })

  test("a dry run shows the same and writes nothing, also in a project without HiveMind", async () => {
    session("s1", WORK)
    rmSync(at(".hivemind"), { recursive: true })
    const { kept } = await imported(" --dry-run")
    expect(has(".hivemind")).toBe(false)
    mkdirSync(at(".hivemind/graph"), { recursive: true })
    expect((await imported()).kept).toEqual(kept)
    expect(kept).toHaveLength(4)
  })

  test("a second run changes nothing, but a session that has continued adds its new records", async () => {
    const entries = async () => (await cliJson(box, "log")).total
    session("s1", WORK.slice(0, 2))
    await imported()
    const before = await entries()
    expect((await imported()).sessions).toMatchObject({ read: 0, known: 1 })
    expect(await entries()).toBe(before)
    session("s1", WORK)
    const sources = { taken: 3, already: 1 }
    expect(await imported()).toMatchObject({ sessions: { read: 1 }, report: { sources } })
    expect(await said("refreshed entries counter")).toContain("replaced the counter")
  })

  test("--undo removes everything that was imported, except records that a person has changed", async () => {
    session("s1", WORK)
    await imported()
    const [rule] = await rules()
    const edited = "always run the linter and the tests before you commit"
    await cli(box, ["rules", rule.id, "--edit", edited])
    const stdout = await shown(box, "import sessions --undo")
    expect(stdout).toContain("Took back 3 records.\n1 record stays because of later work.")
    expect(has(HISTORY)).toBe(false)
    expect((await cliJson(box, "recall LRU Redis")).hits).toEqual([])
    expect(await shown(box, "rules")).toContain("always run the linter and the tests")
    expect(await said("LRU")).toContain("No past sessions are indexed")
  })

  test("an interrupted run continues where it stopped", async () => {
    threeSessions((n) => [{ user: `Always name the port ${n} harbour.` }])
    await imported()
    // As after a crash between the passages of a session and its summary.
    const [summary = ""] = readdirSync(at(`${HISTORY}/sessions`)).filter((name) => name.endsWith(".json"))
    rmSync(at(`${HISTORY}/sessions/${summary}`))
    expect((await imported()).sessions).toMatchObject({ found: 3, read: 1, known: 2 })
    // Without its index all of it is read again.
    rmSync(at(`${HISTORY}/index`), { recursive: true })
    expect((await imported()).sessions).toMatchObject({ read: 3 })
    expect(await said("harbour")).toContain("name the port 3 harbour")
  })

  test("imports at most four records per session", async () => {
    const words = ["port", "door", "wall", "roof", "floor", "stair"]
    const rule = (word: string) => ({ user: `Always name the ${word} in the ${word} log.` })
    session("s1", words.map(rule))
    expect(await contents()).toHaveLength(4)
  })

  test("keeps the newer of two rules, and neither ended rules nor those that the project's own files contain", async () => {
    writeFiles(box.project, { "AGENTS.md": "- Never push to main.\n" })
    const older = ["Always indent with 2 spaces.", "Always squash the commits of a branch."]
    const ended = "You no longer need to squash the commits of a branch."
    const newer = ["Always indent with 4 spaces.", ended, "Never push to main."]
    const again = "Always sign the tag of a release."
    const asUser = (texts: string[]) => texts.map((user) => ({ user }))
    session("s1", asUser(older))
    session(
      "s2",
      asUser([...newer, "You no longer need to sign the tag of a release."]),
      "2026-03-01T10:00:00.000Z",
    )
    session("s3", asUser([again]), "2026-03-02T10:00:00.000Z")
    expect(await contents()).toEqual(["Always indent with 4 spaces.", again])
  })

  test("a mem that was saved since ranks above a record of an old session", async () => {
    session("s1", [{ user: "Always indent with 2 spaces." }])
    await cli(box, ["rules", "--add", "Always indent with 4 spaces."])
    const ignored = [{ reason: "a mem that was saved later contradicts it" }]
    expect(await imported()).toMatchObject({ kept: [], ignored })
  })

  test.each(["imported", "said"])(
    "a rule that was %s and that a person removed is not brought back",
    async (how) => {
      const text = "Always indent with 2 spaces."
      session("s1", [{ user: text }])
      const caller = { session: "ses_1", agent: null, tool: "user message" }
      if (how === "imported") await imported()
      else {
        const hive = await openProcess(box.project)
        await keepRules(hive, caller, { text, id: null })
        await hive.store.close()
      }
      const [rule] = await rules()
      await cli(box, `rules --remove ${rule.id}`)
      rmSync(at(HISTORY), { recursive: true, force: true })
      await imported()
      expect(await rules()).toEqual([])
    },
  )

  test("keeps commands that have passed repeatedly and still exist", async () => {
    const runs = ["npm test", "npm run gone", "make gone", "./scripts/gone-test.sh"]
    session(
      "s1",
      runs.flatMap((run) => [{ run }, { run }]),
    )
    expect(await contents()).toEqual([
      "`npm test` tests this project: passed all 2 runs in past sessions, last on 2026-02-01.",
    ])
  })

  test("leaves out records about removed packages, and ranks records about missing files lower", async () => {
    put("package.json", JSON.stringify({ dependencies: { pg: "1" } }))
    session("s1", [
      { run: "npm install mongoose" },
      { user: "We want to use mongoose for all models, because the schema changes a lot." },
      { edit: "src/old-store.ts" },
      { say: "The root cause is that `old-store.ts` opens two connections for one request." },
    ])
    expect(await imported()).toMatchObject({
      kept: [{ content: "The root cause is that `old-store.ts` opens two connections for one request." }],
      report: { notes: [{ note: "the files that it names are gone: imported with less confidence" }] },
    })
  })

  test("keeps which files sessions change together, and the open work of the last session", async () => {
    writeFiles(box.project, { "src/menu.ts": "", "src/menu.css": "" })
    const edits = [{ edit: "src/menu.ts" }, { edit: "src/menu.css" }]
    threeSessions((n) => [
      ...edits,
      {
        todos: [
          [["draw the harbour map", "sort unpaid invoices", "write the third test"][n - 1] ?? "", false],
          ["fix it", true],
        ],
      },
    ])
    expect((await contents()).toSorted()).toEqual([
      "Left open: write the third test",
      "src/menu.css and src/menu.ts change together: in 3 past sessions.",
    ])
  })

  test("secrets are masked in records, in the index and in what is shown", async () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`
    session("s1", [{ user: `Always use the token ${token} for the release.` }, { say: `I used ${token}.` }])
    await imported()
    const files = readdirSync(box.project, { recursive: true, encoding: "utf8" }).filter((name) =>
      /history.*\.jsonl?$|graph.*jsonl$/.test(name),
    )
    expect(files.length).toBeGreaterThan(1)
    for (const name of files) expect(read(name)).not.toContain(token)
    expect(await said("token release")).toContain("[masked: GitHub token]")
  })

  test("a named folder is read whatever project its sessions began in", async () => {
    const path = claudeTranscript(box.home, "/somewhere/else", "s1", WORK)
    const none = (await cli(box, "import sessions")).stdout
    expect(none).toContain("No past sessions of this project were found")
    expect(await contents(` ${path}`)).toHaveLength(4)
  })

  test("an unreadable OpenCode database does not stop the import of other sessions", async () => {
    session("s1", WORK)
    put("../home/.local/share/opencode/opencode.db", "SQLite format 3\0 and then nothing")
    expect((await cli(box, "import sessions")).stdout).toContain("4 records kept")
  })
})

test("recall --history finds passages with date, agent and session, and reads only imported sessions", async () => {
  session("s1", WORK, "2026-06-03T10:00:00.000Z")
  await imported()
  const stdout = await said("what did we try with the cache eviction")
  for (const part of ["2026-06-03 10:", "Claude Code session s1", "counts an entry twice"])
    expect(stdout).toContain(part)
  const { passages } = await cliJson(box, "recall --history evict")
  expect(passages[0]).toMatchObject({ agent: "claude", session: "s1", branch: "main" })
  expect(passages[0].messages).toContain("s1-8")
  const nothing = await cli(box, "recall --history zeppelin")
  expect(nothing).toMatchObject({ code: 1, stdout: "Nothing was said about that in past sessions.\n" })
})

test("init offers past sessions and reads nothing; scan onboard asks; both are silent once it was imported", async () => {
  session("s1", WORK)
  const init = await shown(box, "init --yes")
  expect(init).toContain("Note: This machine has 1 past session (1 of Claude Code; ")
  expect(init).toContain("Nothing is read unless you agree.")
  expect(has(HISTORY)).toBe(false)
  expect(await shown(box, "scan onboard")).toContain("`hivemind import sessions` reads them")
  await imported()
  expect(await shown(box, "scan onboard")).not.toContain("import sessions")
  expect(await shown(box, "init --yes")).not.toContain("past session")
})

test.skipIf(!hasTerminal)(
  "init asks in a terminal about past sessions, and reads nothing unless the answer is yes",
  async () => {
    session("s1", WORK)
    const answering = (key: string) =>
      cliInTerminal(
        box,
        ["init", "--no-panel"],
        [
          ["Set HiveMind up:", "y"],
          ["keep what they teach as unconfirmed records?", key],
        ],
      )
    const { screen, code } = await answering("n")
    expect(screen).toContain("Read 1 past session (1 of Claude Code; ")
    expect(screen).toContain("`hivemind import sessions` reads them")
    expect([code, has(HISTORY)]).toEqual([0, false])
    await cli(box, "uninstall --yes")
    expect((await answering("y")).screen).toContain("4 records kept.")
    expect(await shown(box, "rules")).toContain("always run the linter before you commit")
  },
)
