import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { claudeTranscript, type Happened } from "../history/transcript.ts"
import { gitRepo, writeFiles } from "../support/git-repo.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(() => {
  gitRepo(box.project, {
    "package.json": JSON.stringify({ scripts: { test: "vitest" }, dependencies: {} }),
    "src/cache.ts": "",
  })
  mkdirSync(join(box.project, ".hivemind/graph"), { recursive: true })
})

const session = (id: string, happened: readonly Happened[], from?: string) =>
  claudeTranscript(box.home, box.project, id, happened, from)
const imported = async (...args: string[]) =>
  JSON.parse((await cli(box, ["import", "sessions", "--json", ...args])).stdout)
const kept = async (...args: string[]): Promise<{ kind: string; content: string; from: string }[]> =>
  (await imported(...args)).kept
const entries = async () => JSON.parse((await cli(box, ["log", "--json"])).stdout).total

/** A session with something of each kind. */
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
    const { code, stdout } = await cli(box, ["import", "sessions"])
    expect(code).toBe(0)
    expect(stdout).toContain("Imported 1 past session (1 of Claude Code; ")
    expect(stdout).toMatch(
      /Rules \(1\)\n {2}From now on always run the linter before you commit\.\n {4}Claude Code session s1, message s1-1, 2026-02-01: /,
    )
    expect(stdout).toContain("Decided by the user: I'd rather keep the LRU cache instead of Redis")
    expect(stdout).toContain("The real issue is that `evict()` in cache.ts counts an entry twice")
    expect(stdout).toMatch(
      /Failed approaches \(1\)\n {2}`npm test` failed 2 times with "Error: expected 3 entries, got 2"; it passed after src\/cache\.ts was changed\./,
    )
    const { mems } = JSON.parse((await cli(box, ["memory", "--json"])).stdout)
    expect(JSON.stringify(mems ?? (await cli(box, ["memory", "--json"])).stdout)).toContain("history")
  })

  test("a dry run shows the same and writes nothing, also where nothing is set up", async () => {
    session("s1", WORK)
    rmSync(join(box.project, ".hivemind"), { recursive: true })
    const shown = await kept("--dry-run")
    expect(existsSync(join(box.project, ".hivemind"))).toBe(false)
    mkdirSync(join(box.project, ".hivemind/graph"), { recursive: true })
    expect(await kept()).toEqual(shown)
    expect(shown.length).toBe(4)
  })

  test("running it again changes nothing; a session that went on adds what is new", async () => {
    session("s1", WORK.slice(0, 2))
    await imported()
    const before = await entries()
    const again = await imported()
    expect(again.sessions).toMatchObject({ read: 0, known: 1 })
    expect(await entries()).toBe(before)
    session("s1", WORK)
    const more = await imported()
    expect(more.sessions).toMatchObject({ read: 1 })
    expect(more.report.sources).toMatchObject({ taken: 3, already: 1 })
    expect((await cli(box, ["recall", "--history", "refreshed entries counter"])).stdout).toContain(
      "replaced the counter",
    )
  })

  test("--undo takes all of it back; what a person made of it stays", async () => {
    session("s1", WORK)
    await imported()
    const [rule] = JSON.parse((await cli(box, ["rules", "--json"])).stdout).rules
    await cli(box, ["rules", rule.id, "--edit", "always run the linter and the tests before you commit"])
    const { code, stdout } = await cli(box, ["import", "sessions", "--undo"])
    expect(code).toBe(0)
    expect(stdout).toContain("Took back 3 records.\n1 record changed or built upon since stays.")
    expect(existsSync(join(box.project, ".hivemind/state/history"))).toBe(false)
    expect(JSON.parse((await cli(box, ["recall", "LRU", "Redis", "--json"])).stdout).hits).toEqual([])
    expect((await cli(box, ["rules"])).stdout).toContain("always run the linter and the tests")
    expect((await cli(box, ["recall", "--history", "LRU"])).stdout).toContain("No past session is indexed")
  })

  test("an interrupted run goes on where it was", async () => {
    for (const n of [1, 2, 3])
      session(`s${n}`, [{ user: `Always name the port ${n} harbour.` }], `2026-02-0${n}T10:00:00.000Z`)
    await imported()
    // As after a crash between the passages of a session and its summary.
    const folder = join(box.project, ".hivemind/state/history/sessions")
    const [summary = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"))
    rmSync(join(folder, summary))
    expect((await imported()).sessions).toMatchObject({ found: 3, read: 1, known: 2 })
    // Without its index all of it is read again.
    rmSync(join(box.project, ".hivemind/state/history/index"), { recursive: true })
    expect((await imported()).sessions).toMatchObject({ read: 3 })
    expect((await cli(box, ["recall", "--history", "harbour"])).stdout).toContain("name the port 3 harbour")
  })

  test("at most four records of a session", async () => {
    session(
      "s1",
      ["port", "door", "wall", "roof", "floor", "stair"].map((word) => ({
        user: `Always name the ${word} in the ${word} log.`,
      })),
    )
    expect(await kept()).toHaveLength(4)
  })

  test("the newer of two rules counts, a rule that was ended does not, and what the project says already is not repeated", async () => {
    writeFiles(box.project, { "AGENTS.md": "- Never push to main.\n" })
    session("s1", [
      { user: "Always indent with 2 spaces." },
      { user: "Always squash the commits of a branch." },
    ])
    session(
      "s2",
      [
        { user: "Always indent with 4 spaces." },
        { user: "You no longer need to squash the commits of a branch." },
        { user: "Never push to main." },
      ],
      "2026-03-01T10:00:00.000Z",
    )
    expect((await kept()).map(({ content }) => content)).toEqual(["Always indent with 4 spaces."])
  })

  test("what somebody saved since stands above what an old session says", async () => {
    session("s1", [{ user: "Always indent with 2 spaces." }])
    await cli(box, ["rules", "--add", "Always indent with 4 spaces."])
    const { kept: records, ignored } = await imported()
    expect(records).toEqual([])
    expect(ignored).toMatchObject([{ reason: "something saved since says otherwise" }])
  })

  test("a rule that a person removed is not brought back", async () => {
    session("s1", [{ user: "Always indent with 2 spaces." }])
    await imported()
    const [rule] = JSON.parse((await cli(box, ["rules", "--json"])).stdout).rules
    await cli(box, ["rules", "--remove", rule.id])
    rmSync(join(box.project, ".hivemind/state/history"), { recursive: true })
    await imported()
    expect(JSON.parse((await cli(box, ["rules", "--json"])).stdout).rules).toEqual([])
  })

  test("commands are kept where they passed again and again and are still there", async () => {
    const runs = ["npm test", "npm run gone", "make gone", "./scripts/gone-test.sh"].flatMap((run) => [
      { run },
      { run },
    ])
    session("s1", runs)
    expect((await kept()).map(({ content }) => content)).toEqual([
      "`npm test` tests this project: passed all 2 runs in past sessions, last on 2026-02-01.",
    ])
  })

  test("what is about a package that the project has no more is left out; what is about files that are gone counts less", async () => {
    writeFiles(box.project, { "package.json": JSON.stringify({ dependencies: { pg: "1" } }) })
    session("s1", [
      { run: "npm install mongoose" },
      { user: "We want to use mongoose for all models, because the schema changes a lot." },
      { edit: "src/old-store.ts" },
      { say: "The root cause is that `old-store.ts` opens two connections for one request." },
    ])
    const { report, kept: records } = await imported()
    expect(records.map(({ content }: { content: string }) => content)).toEqual([
      "The root cause is that `old-store.ts` opens two connections for one request.",
    ])
    expect(report.notes).toMatchObject([{ note: "its files are gone: kept with less weight" }])
  })

  test("files that sessions change together, and what the last session left open", async () => {
    writeFiles(box.project, { "src/menu.ts": "", "src/menu.css": "" })
    for (const n of [1, 2, 3])
      session(
        `s${n}`,
        [
          { edit: "src/menu.ts" },
          { edit: "src/menu.css" },
          {
            todos: [
              [`write the ${n}th test`, false],
              ["fix it", true],
            ],
          },
        ],
        `2026-02-0${n}T10:00:00.000Z`,
      )
    const contents = (await kept()).map(({ content }) => content)
    expect(contents.toSorted()).toEqual([
      "Left open: write the 3th test",
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
    for (const name of files) expect(readFileSync(join(box.project, name), "utf8")).not.toContain(token)
    expect((await cli(box, ["recall", "--history", "token release"])).stdout).toContain(
      "[masked: GitHub token]",
    )
  })

  test("a named folder is read whatever project its sessions began in", async () => {
    const path = claudeTranscript(box.home, "/somewhere/else", "s1", WORK)
    expect((await cli(box, ["import", "sessions"])).stdout).toContain(
      "No past sessions of this project were found",
    )
    expect(await kept(path)).toHaveLength(4)
  })

  test("a transcript that cannot be read is named, and the others are imported", async () => {
    session("s1", WORK)
    const broken = join(box.home, ".local/share/opencode/opencode.db")
    mkdirSync(join(broken, ".."), { recursive: true })
    writeFileSync(broken, "SQLite format 3\0 and then nothing")
    expect((await cli(box, ["import", "sessions"])).stdout).toContain("4 records kept")
  })
})

describe("recall --history", () => {
  test("finds what was said, with the date, the agent and the session, and reads only what was imported", async () => {
    session("s1", WORK, "2026-06-03T10:00:00.000Z")
    await imported()
    const { stdout } = await cli(box, ["recall", "--history", "what did we try with the cache eviction"])
    expect(stdout).toContain("2026-06-03 10:")
    expect(stdout).toContain("Claude Code session s1")
    expect(stdout).toContain("counts an entry twice")
    const { passages } = JSON.parse((await cli(box, ["recall", "--history", "evict", "--json"])).stdout)
    expect(passages[0]).toMatchObject({ agent: "claude", session: "s1", branch: "main" })
    expect(passages[0].messages).toContain("s1-8")
    const nothing = await cli(box, ["recall", "--history", "zeppelin"])
    expect(nothing).toMatchObject({ code: 1, stdout: "Nothing was said about that in past sessions.\n" })
  })
})

describe("the offer", () => {
  test("init says what there is and reads nothing; scan onboard asks; both are silent once it was imported", async () => {
    session("s1", WORK)
    const { stdout } = await cli(box, ["init", "--yes"])
    expect(stdout).toContain("Note: 1 past session (1 of Claude Code; ")
    expect(stdout).toContain("Nothing is read without your yes.")
    expect(existsSync(join(box.project, ".hivemind/state/history"))).toBe(false)
    expect((await cli(box, ["scan", "onboard"])).stdout).toContain("`hivemind import sessions` reads them")
    await imported()
    expect((await cli(box, ["scan", "onboard"])).stdout).not.toContain("import sessions")
    expect((await cli(box, ["init", "--yes"])).stdout).not.toContain("past session")
  })
})
