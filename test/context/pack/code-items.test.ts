import { describe, expect, it } from "vitest"
import { packDelta } from "../../../src/context/pack/delta.ts"
import { pack } from "../../../src/context/pack/pack.ts"
import type { CodeFactsLookup } from "../../../src/schemas/codemap.ts"
import { T0 } from "../../support/records.ts"
import { atWork, knownOf } from "../at-work.ts"

const options = { now: T0 + 3_600_000, budget: 4000 }
const facts = { offers: ["one", "two"], dependents: 3, todos: 1 }
const mapped =
  (found = facts): CodeFactsLookup =>
  (path) =>
    path === "src/a.ts" ? found : null

function mappedWork() {
  const { g, head } = atWork({ file_locks: ["src/a.ts", "src/**"] })
  const told = (code: CodeFactsLookup) => pack(g.state, head, { ...options, code })
  const news = (code: CodeFactsLookup, now: CodeFactsLookup) =>
    packDelta(g.state, head, knownOf(told(code)), { ...options, code: now })
  return { told, news }
}

describe("the code map of a task's files", () => {
  it("is a line in the block, and nothing without a map", () => {
    const { told } = mappedWork()
    expect(told(mapped()).xml).toContain(
      '<code file="src/a.ts" offers="one, two" imported_by="3 files" todos="1"/>',
    )
    expect(told(() => undefined).xml).not.toContain("<code")
    expect(told(() => null).xml).not.toContain("<code")
  })

  it("is found by a path in the task's words, with any letters, in quotes", () => {
    const files = ["src/größe.ts", "(shop)/[id].tsx", "src/plain.ts"]
    const toldOf = (title: string) => {
      const { g, head } = atWork({ title })
      const code: CodeFactsLookup = (path) => (files.includes(path) ? facts : null)
      return pack(g.state, head, { ...options, code }).items.flatMap(({ kind, id }) =>
        kind === "code" ? [id] : [],
      )
    }
    for (const file of files) {
      expect(toldOf(`Mend ${file}, then stop`)).toEqual([file])
      expect(toldOf(`Mend "${file}".`)).toEqual([file])
    }
    expect(toldOf("See (src/plain.ts:12) and e.g. other.ts")).toEqual(["src/plain.ts"])
  })

  it("is shown again once it has changed, and not before", () => {
    const { news } = mappedWork()
    expect(news(mapped(), mapped()).xml).toBe("")
    expect(news(mapped(), mapped({ ...facts, offers: ["one"] })).xml).toContain('offers="one"')
  })

  it("is retracted when the file is gone, and stays if the map cannot answer", () => {
    const { news } = mappedWork()
    expect(news(mapped(), () => null).xml).toContain('<was what="code" file="src/a.ts" status="gone"/>')
    expect(news(mapped(), () => undefined).xml).toBe("")
  })
})
