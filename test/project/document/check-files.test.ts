import { describe, expect, it } from "vitest"
import { checkFiles, watchedPaths } from "../../../src/project/document/check-files.ts"
import { filesOf, stateOf } from "../../support/files.ts"
import { graphOf } from "../../support/graph.ts"
import { uuid } from "../../support/records.ts"

const DOC = "docs/plan.md"
const BEFORE = "# Goal\nlogin\n# Steps\none\n"
const AFTER = "# Goal\nlogin\n# Steps\ntwo\n"

function planned(more = {}) {
  const g = graphOf()
  const plan = g.plan("P", { sot_document_path: DOC })
  const task = g.task(g.phase(plan, "Phase"), "T", { status: "active" })
  g.artifact(DOC, { plan_id: plan.id, ...stateOf(DOC, BEFORE), ...more })
  const check = (texts: Record<string, string | undefined>, wasShown = false) =>
    checkFiles(g.state, filesOf(texts), () => wasShown).map((found) => {
      if (found.kind === "appeared") return `${found.path} appeared`
      return `${found.artifact.path} ${found.kind}${found.kind === "superseded" ? ` by ${found.by.path}` : ""}`
    })
  return { g, plan, task, check }
}

// The other cases are in the tests of `watch/validation.ts`.
describe("a registered document", () => {
  it.each<[string, "current" | "changed", Record<string, string | undefined>, boolean, string[]]>([
    ["with other line ends is the same", "current", { [DOC]: BEFORE.replaceAll("\n", "  \r\n") }, false, []],
    ["that cannot be read is left alone", "current", { [DOC]: undefined }, false, []],
    ["is changed before it is accepted", "current", { [DOC]: AFTER }, true, [`${DOC} changed`]],
    ["edited back is accepted", "changed", { [DOC]: BEFORE }, false, [`${DOC} accepted`]],
    ["that is gone stays changed", "changed", {}, true, []],
  ])("%s", (_, status, texts, wasShown, expected) => {
    expect(planned({ status }).check(texts, wasShown)).toEqual(expected)
  })

  it("is accepted after a task's write, not after an earlier or failed one, or one of another file", () => {
    const { g, task, check } = planned()
    const wrote = (hours: number, ok: boolean, files = [DOC]) =>
      g.checkpoint(task, { files, ok, created_at: g.at(hours) })
    wrote(-1, true)
    wrote(1, false)
    wrote(1, true, ["docs/other.md"])
    expect(check({ [DOC]: AFTER })).toEqual([`${DOC} changed`])
    wrote(1, true)
    expect(check({ [DOC]: AFTER })).toEqual([`${DOC} accepted`])
  })

  it("that moved is superseded by the newest file that is there with the same sections", () => {
    const { g, plan, task, check } = planned()
    const at = (path: string, hours: number, text = BEFORE) => {
      const ids = { plan_id: plan.id, task_id: task.id }
      g.artifact(path, { ...ids, ...stateOf(path, text), created_at: g.at(hours) })
    }
    at("docs/older.md", 1)
    at("docs/newer.md", 2)
    at("docs/newest.md", 3)
    at("docs/other.md", 4, AFTER)
    const others = { "docs/older.md": BEFORE, "docs/newer.md": BEFORE, "docs/other.md": AFTER }
    const newest = "docs/newest.md superseded by docs/newer.md"
    expect(check(others)).toEqual([`${DOC} superseded by docs/newer.md`, newest])
    expect(check({ [DOC]: BEFORE, ...others })).toEqual([newest])
  })

  it("that moved back is accepted", () => {
    const { g, plan, check } = planned()
    const moved = g.artifact("docs/new.md", { plan_id: plan.id, ...stateOf("docs/new.md", BEFORE) })
    const gone = { status: "superseded", superseded_by: moved.id } as const
    g.artifact(DOC, { plan_id: plan.id, ...stateOf(DOC, BEFORE), ...gone })
    expect(check({ [DOC]: BEFORE })).toEqual([`${DOC} accepted`, `docs/new.md superseded by ${DOC}`])
  })
})

it("watches files of open plans and kept anchors, and documents that are not registered yet", () => {
  const g = graphOf()
  g.plan("Waits", { sot_document_path: DOC })
  const open = g.plan("Open")
  const over = g.plan("Over", { status: "archived" })
  g.artifact("open.md", { plan_id: open.id })
  g.artifact("over.md", { plan_id: over.id })
  g.artifact("unread.ts", { plan_id: open.id, hash: null })
  g.artifact("loose.ts")
  const anchored = g.artifact("anchored.ts")
  const kept = g.artifact("kept.md", { plan_id: over.id })
  g.anchor("A", "x", { related_to: [anchored.id, uuid(999)] })
  g.anchor("B", "x", { related_to: [kept.id] })
  g.anchor("C", "x", { related_to: [g.artifact("removed.ts").id], status: "removed" })
  expect(watchedPaths(g.state).sort()).toEqual(["anchored.ts", DOC, "kept.md", "open.md"])
})
