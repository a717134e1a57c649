import { expect, it } from "vitest"
import { adoptFork } from "../../../src/context/inject/frozen-injections.ts"
import type { Injection } from "../../../src/context/inject/record.ts"

it("a fork carries the injections of its source, up to where it was forked", () => {
  const source = {
    session: "ses_1",
    injections: [injection("m1", 100), injection("m2", 200), injection("m3", 300)],
  }
  const users = [sent("f1", 100), sent("f2", 200), sent("f4", 999)]
  expect(adoptFork(users, [{ session: "ses_0", injections: [injection("x", 50)] }, source])).toMatchObject({
    source: "ses_1",
    records: [
      { message: "f1", parts: ["of m1"] },
      { message: "f2", parts: ["of m2"] },
    ],
  })
})

it("a new session, and one with an unknown beginning, is no fork", () => {
  const source = { session: "ses_1", injections: [injection("m1", 100), injection("m2", 200)] }
  expect(adoptFork([sent("n1", 100)], [source])).toBeUndefined()
  expect(adoptFork([sent("n1", 150), sent("n2", 200)], [source])).toBeUndefined()
  expect(adoptFork([{ id: "n1" }, { id: "n2" }], [source])).toBeUndefined()
})

function sent(id: string, sentAt: number) {
  return { id, sentAt }
}

function injection(message: string, at: number): Injection {
  return {
    message,
    sent: at,
    at: new Date(at).toISOString(),
    kind: "delta",
    parts: [`of ${message}`],
    tokens: 1,
    repeated: 0,
    budget: 10,
    items: [],
    gone: [],
    dropped: [],
    reason: "",
    score: 0,
    pruned: [],
  }
}
