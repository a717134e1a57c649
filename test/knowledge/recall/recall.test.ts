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

  it("counts rare words more, and more of the query's words more than one word often", async () => {
    const hive = await hiveWith(
      { content: "cache cache cache cache" },
      { content: "the cache of the parser" },
      { content: "the cache of the router" },
      { content: "parser" },
    )
    expect(await numbers(hive, "parser cache")).toEqual([2, 4, 1, 3])
    expect((await numbers(hive, "router"))[0]).toBe(3)
  })

  it("finds a name of several words by its first letters, and the letters by the name", async () => {
    const hive = await hiveWith(
      { content: "No Entity Framework connector: its providers differ" },
      { content: "RBAC is checked in the gateway" },
      { content: "The framework of the tests" },
    )
    expect(await numbers(hive, "EF")).toEqual([1])
    expect((await numbers(hive, "Role Based Access Control"))[0]).toBe(2)
    expect(await numbers(hive, "ftt")).toEqual([])
  })

  it("puts decisions first for a question why, and only there", async () => {
    const hive = await hiveWith(
      { content: "The queue of the mailer was drained", kind: "insight" },
      {
        content:
          "The mailer writes to a queue, because a slow server must not hold any request of a customer",
        kind: "decision",
      },
      { content: "The queue of the mailer is a table", kind: "fact" },
    )
    expect((await numbers(hive, "why does the mailer have a queue?"))[0]).toBe(2)
    expect((await numbers(hive, "mailer queue"))[0]).not.toBe(2)
  })

  it("puts words that stand together, as in the query, before the same words apart", async () => {
    const hive = await hiveWith(
      { content: "a bucket for each client, and a token" },
      { content: "each client and a token bucket" },
    )
    expect(await numbers(hive, "token bucket")).toEqual([2, 1])
  })

  it("uses similar words only if no mem has the word itself", async () => {
    const hive = await hiveWith({ content: "Postgres is the database" }, { content: "The migration is slow" })
    const [hit] = await recall(hive, "postgers")
    expect(hit).toMatchObject({ mem: { id: uuid(1) }, why: expect.stringContaining("postgers ≈ Postgres") })
    expect(await numbers(hive, "migrat")).toEqual([2])
    await hive.store.append(by, (tx) =>
      tx.add("mem", aMem(3, { content: "postgers is a typo in the old docs" })),
    )
    expect(await numbers(hive, "postgers")).toEqual([3])
  })

  it("finds German, Russian and Japanese by their own words, and English words in them", async () => {
    const hive = await hiveWith(
      { content: "Die Tests laufen vor dem Commit, weil die Migration sonst Daten verliert." },
      { content: "Сессии хранятся в Redis, а не в памяти процесса." },
      { content: "設定ファイルは起動時に一度だけ読み込む。" },
      { content: "The organ of the organisation" },
    )
    expect(await numbers(hive, "migration")).toEqual([1])
    expect(await numbers(hive, "Warum verliert die Migration Daten?")).toEqual([1])
    expect(await numbers(hive, "test")).toEqual([1])
    expect(await numbers(hive, "где хранятся сессии")).toEqual([2])
    expect(await numbers(hive, "redis")).toEqual([2])
    expect(await numbers(hive, "設定ファイルの読み込み")).toEqual([3])
    expect(await numbers(hive, "und die der das")).toEqual([])
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
    expect(await recall(hive, "cookies")).toMatchObject([
      {
        mem: { id: uuid(3) },
        replaces: { id: uuid(1) },
        why: `replaces ${uuid(1).slice(0, 8)}; words: cookies`,
      },
    ])
    expect(await numbers(hive, "sessions live")).toEqual([3])
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

  it("never shows purged mems, and marks invalidated ones", async () => {
    const hive = await hiveWith(
      { content: "Use jwt for sessions", status: "purged" },
      { content: "Use jwt for the api", status: "invalidated" },
    )
    expect(await recall(hive, "jwt")).toMatchObject([{ mem: { id: uuid(2), status: "invalidated" } }])
  })

  it("keeps to the kinds and to the limit that are asked for", async () => {
    const hive = await hiveWith(
      { content: "jwt one", kind: "fact" },
      { content: "jwt two", kind: "decision" },
      { content: "jwt three", kind: "decision" },
    )
    expect((await recall(hive, "jwt", { kinds: ["decision"] })).map(({ mem }) => mem.id)).toEqual([
      uuid(2),
      uuid(3),
    ])
    expect(await numbers(hive, "jwt", 1)).toHaveLength(1)
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
})
