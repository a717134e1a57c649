import { randomUUID } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Entry } from "../../../src/schemas/entry.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { findEntry } from "../../../src/store/history.ts"
import { shortIds } from "../../../src/views/log/log-entries.ts"
import { by, uuid } from "../../support/records.ts"

test("short ids have eight characters if they are unique", () => {
  const ids = [randomUUID(), uuid(7)]
  expect([...shortIds(ids).values()]).toEqual(ids.toSorted().map((id) => id.slice(0, 8)))
})

test("undo finds each entry by its short id", () => {
  const id = fc
    .constantFrom("a", "b", "0")
    .chain((first) => fc.uuid().map((rest) => `${first}${rest.slice(1)}`))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(id, fc.integer({ min: 0, max: 300 }).map(uuid)), { minLength: 1 }),
      (ids) => {
        const at = "2026-02-11T14:30:00.000Z"
        const entries = ids.map((id, clock): Entry => ({ id, at, by, writer: "here", clock, ops: [] }))
        const short = shortIds(ids)
        for (const each of ids) {
          expect(short.get(each)?.length).toBeGreaterThanOrEqual(8)
          expect(runToEnd(findEntry(entries.toReversed(), short.get(each) ?? "")).id).toBe(each)
        }
      },
    ),
    { seed: 1 },
  )
})
