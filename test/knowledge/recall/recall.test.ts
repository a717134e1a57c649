import { describe, expect, it } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { recall } from "../../../src/knowledge/recall/recall.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../../support/records.ts"

async function hiveWith(...mems: Partial<Mem>[]): Promise<Hive> {
  const hive = memoryHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1001))
    tx.add("phase", aPhase(1002, 1001))
    tx.add("task", aTask(1003, 1001, 1002))
    for (const [n, mem] of mems.entries()) tx.add("mem", { ...aMem(n + 1), ...mem, status: "active" })
  })
  await hive.store.write(by, (tx) => {
    for (const [n, { status }] of mems.entries())
      if (status !== undefined) tx.set("mem", uuid(n + 1), { status })
  })
  return hive
}

const numbers = async (hive: Hive, query: string, limit?: number) =>
  (await recall(hive, query, { limit })).map(({ mem }) => Number.parseInt(mem.id.slice(-4), 16))
const MAILER = "The mailer writes to a queue, because a slow server must not hold any request of a customer"

describe("recall", () => {
  it("finds by other endings, parts of names, tags and files, and says where", async () => {
    const hive = await hiveWith(
      {
        content: "Refresh tokens are rotated in SessionStore",
        tags: ["auth"],
        evidence: ["src/auth/rotate.ts@1f3c9ab"],
      },
      { content: "The queue is drained on exit" },
    )
    const why = async (query: string) => (await recall(hive, query)).map((hit) => [hit.mem.id, hit.why])
    expect(await why("rotating the token")).toEqual([[uuid(1), "words: tokens, rotated; files: rotate"]])
    expect(await why("session store")).toEqual([[uuid(1), "words: session, store"]])
    expect(await why("auth")).toEqual([[uuid(1), "tags: auth; files: auth"]])
    expect(await why("1f3c9ab")).toEqual([])
  })

  it("finds changed and unchanged mems after most mems have changed", async () => {
    const hive = await hiveWith(...Array.from({ length: 1500 }, (_, n) => ({ content: `former${n + 1}` })))
    expect(await numbers(hive, "former7")).toEqual([7])
    await hive.store.write(by, (tx) => {
      for (let n = 1; n <= 1400; n++) tx.set("mem", uuid(n), { content: `latter${n}` })
    })
    expect(await numbers(hive, "former1450", 1)).toEqual([1450])
    expect(await numbers(hive, "latter7", 1)).toEqual([7])
  })

  it.each<{ what: string; mems: (string | Partial<Mem>)[]; found: Record<string, number[]> }>([
    {
      what: "rare words count more, and more of the query's words more than one word often",
      mems: [
        "cache cache cache cache",
        "the cache of the parser",
        "the cache of the router",
        "parser of routers",
      ],
      found: { "parser cache": [2, 4, 1, 3] },
    },
    {
      what: "a name of several words is found by its first letters, and the letters by the name",
      mems: [
        "No Entity Framework connector: its providers differ",
        "RBAC is checked in the gateway",
        "The framework of the tests",
      ],
      found: { EF: [1], "Role Based Access Control": [2], ftt: [] },
    },
    {
      what: "decisions come first for a question why, and only there",
      mems: [
        { content: "The queue of the mailer was drained", kind: "insight" },
        { content: MAILER, kind: "decision" },
        { content: "The queue of the mailer is a table", kind: "fact" },
      ],
      found: { "why does the mailer have a queue?": [2, 1, 3], "mailer queue": [1, 3, 2] },
    },
    {
      what: "words that stand together, as in the query, come before the same words apart",
      mems: ["a bucket for each client, and a token", "each client and a token bucket"],
      found: { "token bucket": [2, 1] },
    },
    {
      what: "German, Russian and Japanese are found by their own words, and English words in them",
      mems: [
        "Die Tests laufen vor dem Commit, weil die Migration sonst Daten verliert.",
        "Сессии хранятся в Redis, а не в памяти процесса.",
        "設定ファイルは起動時に一度だけ読み込む。",
        "The organ of the organisation",
      ],
      found: {
        migration: [1],
        "Warum verliert die Migration Daten?": [1],
        test: [1],
        "где хранятся сессии": [2],
        redis: [2],
        設定ファイルの読み込み: [3],
        "und die der das": [],
      },
    },
    {
      what: "purged mems are never found",
      mems: [{ content: "Use jwt for sessions", status: "purged" }, "Use jwt for the api"],
      found: { jwt: [2] },
    },
  ])("$what", async ({ mems, found }) => {
    const hive = await hiveWith(...mems.map((mem) => (typeof mem === "string" ? { content: mem } : mem)))
    for (const [query, expected] of Object.entries(found))
      expect(await numbers(hive, query), query).toEqual(expected)
  })

  it("uses similar words only if no mem has the word itself", async () => {
    const hive = await hiveWith({ content: "Postgres is the database" }, { content: "The migration is slow" })
    const [hit] = await recall(hive, "postgers")
    expect(hit).toMatchObject({ mem: { id: uuid(1) }, why: expect.stringContaining("postgers ≈ Postgres") })
    expect(await numbers(hive, "migrat")).toEqual([2])
    const typo = aMem(3, { content: "postgers is a typo in the old docs" })
    await hive.store.append(by, (tx) => tx.add("mem", typo))
    expect(await numbers(hive, "postgers")).toEqual([3])
  })

  it("finds two adjacent words written as one", async () => {
    const hive = await hiveWith(
      { content: "The sourcemap is left out of the published package" },
      { content: "Colours come from one source" },
      { content: "A map of the colours is drawn" },
    )
    const [best] = await recall(hive, "do we publish a source map?")
    expect(best).toMatchObject({ mem: { id: uuid(1) }, why: "words: published, sourcemap" })
    expect(best?.words).toEqual(["publish", "source", "map"])
  })

  it("returns the replacement of a replaced mem, and names the replaced one", async () => {
    const hive = await hiveWith(
      { content: "Sessions live in cookies", status: "superseded" },
      { content: "Sessions live in Redis", supersedes: uuid(1), status: "superseded" },
      { content: "Sign-ins are kept in Postgres", supersedes: uuid(2) },
    )
    const why = `replaces ${uuid(1).slice(0, 8)}; words: cookies`
    expect(await recall(hive, "cookies")).toMatchObject([
      { mem: { id: uuid(3) }, replaces: { id: uuid(1) }, why },
    ])
    expect(await numbers(hive, "sessions live")).toEqual([3])
  })

  it("returns both replacements if two clones have replaced a mem", async () => {
    const hive = await hiveWith(
      { content: "Sessions live in cookies", status: "superseded" },
      { content: "Tokens are kept in the keychain", supersedes: uuid(1), status: "superseded" },
      { content: "Logins are checked by the gateway", supersedes: uuid(1) },
      { content: "Tokens are kept on a smart card", supersedes: uuid(2) },
      { content: "Something else" },
    )
    const hits = await recall(hive, "cookies")
    expect(hits.map(({ mem, replaces }) => [mem.id, replaces?.id]).sort()).toEqual([
      [uuid(3), uuid(1)],
      [uuid(4), uuid(1)],
    ])
  })

  it("adds linked mems and mems of the same task after the matches", async () => {
    const hive = await hiveWith(
      { content: "Passwords are hashed with argon2", related_to: [uuid(2)], origin_task_id: uuid(1003) },
      { content: "Bcrypt was too slow to tune" },
      { content: "Sign-in is limited to five tries", origin_task_id: uuid(1003) },
      { content: "Colours come from one file" },
    )
    const hits = await recall(hive, "argon2")
    expect(hits.map(({ mem, why }) => [mem.id, why])).toEqual([
      [uuid(1), "words: argon2"],
      [uuid(2), `linked to ${uuid(1).slice(0, 8)}`],
      [uuid(3), `same task as ${uuid(1).slice(0, 8)}`],
    ])
    expect(await numbers(hive, "bcrypt")).toEqual([2, 1])
  })

  it("keeps to the kinds and to the limit that are asked for, and marks invalidated mems", async () => {
    const hive = await hiveWith(
      { content: "jwt one", kind: "fact" },
      { content: "jwt two", kind: "decision", status: "invalidated" },
      { content: "jwt three", kind: "decision" },
    )
    const decisions = await recall(hive, "jwt", { kinds: ["decision"] })
    expect(decisions.map(({ mem }) => [mem.id, mem.status])).toEqual([
      [uuid(2), "invalidated"],
      [uuid(3), "active"],
    ])
    expect(await numbers(hive, "jwt", 1)).toHaveLength(1)
  })
})
