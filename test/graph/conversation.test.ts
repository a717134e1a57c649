import { expect, it } from "vitest"
import { earlierSessions, laterSessions } from "../../src/graph/conversation.ts"
import type { Session } from "../../src/schemas/session.ts"
import { continuationOf } from "../../src/work/session/session.ts"

function chain(ids: string[], closed: string[] = []) {
  const sessions = new Map(
    ids.map((host_id, n) => {
      const links = { continues: ids[n - 1] ?? null, continued_in: ids[n + 1] ?? null }
      const status = closed.includes(host_id) || links.continued_in !== null ? "closed" : "active"
      return [host_id, { host_id, status, created_at: `2026-11-0${n + 1}`, ...links } as Session]
    }),
  )
  return { sessions, find: (id: string) => sessions.get(id) }
}

it("a conversation that was split again and again is followed both ways, with the end of each part", () => {
  const { sessions, find } = chain(["a", "b", "c", "d"])
  expect(laterSessions(find, "a")).toEqual(["b", "c", "d"])
  expect(earlierSessions(find, "d")).toEqual([
    { session: "c", until: "2026-11-04" },
    { session: "b", until: "2026-11-03" },
    { session: "a", until: "2026-11-02" },
  ])
  expect(continuationOf(sessions.get("a"), find)).toBe("d")
})

it("the last open session continues the work; null if all are closed", () => {
  const { sessions, find } = chain(["a", "b", "c"], ["c"])
  expect(continuationOf(sessions.get("a"), find)).toBe(null)
  // Session b is active again, although session c continues it.
  sessions.set("b", { ...(sessions.get("b") as Session), status: "active" })
  expect(continuationOf(sessions.get("a"), find)).toBe("b")
  expect(continuationOf(undefined, find)).toBe(null)
})

it("following a circular or broken chain of sessions ends", () => {
  const { sessions, find } = chain(["a", "b", "c"])
  sessions.set("c", { ...(sessions.get("c") as Session), continued_in: "a" })
  sessions.set("a", { ...(sessions.get("a") as Session), continues: "c" })
  expect(laterSessions(find, "a")).toEqual(["b", "c"])
  expect(earlierSessions(find, "a").map(({ session }) => session)).toEqual(["c", "b"])
  sessions.delete("b")
  expect(laterSessions(find, "a")).toEqual(["b"])
  const long = chain(Array.from({ length: 2000 }, (_, n) => `s${n}`))
  expect(laterSessions(long.find, "s0").length).toBeLessThanOrEqual(1000)
})
