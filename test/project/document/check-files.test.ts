import { describe, expect, it } from "vitest"
import { checkFiles, watchedPaths } from "../../../src/project/document/check-files.ts"
import { filesOf, stateOf } from "../../support/files.ts"
import { graphOf } from "../../support/graph.ts"
import { uuid } from "../../support/records.ts"

const DOC = "docs/plan.md"
const BEFORE = "# Goal\nlogin\n# Steps\none\n"
const AFTER = "# Goal\nlogin\n# Steps\ntwo\n"

/** A plan that goes by a document, which is registered as it was. */
function planned(text = BEFORE, more = {}) {
  const g = graphOf()
  const plan = g.plan("P", { sot_document_path: DOC })
  const task = g.task(g.phase(plan, "Phase"), "T", { status: "active" })
  const artifact = g.artifact(DOC, { plan_id: plan.id, ...stateOf(DOC, text), ...more })
  const check = (texts: Record<string, string | undefined>, told = false) =>
    checkFiles(g.state, filesOf(texts), () => told).map((found) =>
      found.kind === "superseded"
        ? `superseded by ${found.by.path}`
        : found.kind === "appeared"
          ? `${found.path} appeared`
          : `${found.kind}`,
    )
  return { g, plan, task, artifact, check }
}

describe("a document that is registered", () => {
  it("as it was, with other line ends, or impossible to tell: nothing to say", () => {
    const { check } = planned()
    expect(check({ [DOC]: BEFORE })).toEqual([])
    expect(check({ [DOC]: BEFORE.replaceAll("\n", "  \r\n") })).toEqual([])
    expect(check({ [DOC]: undefined })).toEqual([])
  })

  it("edited from outside, or gone: changed", () => {
    const { check } = planned()
    expect(check({ [DOC]: AFTER })).toEqual(["changed"])
    expect(check({})).toEqual(["changed"])
  })

  it("written by a task of ours since: accepted; before, or by a write that failed: not", () => {
    const { g, task, check } = planned()
    const wrote = (hours: number, ok: boolean, files = [DOC]) =>
      g.checkpoint(task, { files, ok, created_at: g.at(hours) })
    wrote(-1, true)
    wrote(1, false)
    wrote(1, true, ["docs/other.md"])
    expect(check({ [DOC]: AFTER })).toEqual(["changed"])
    wrote(1, true)
    expect(check({ [DOC]: AFTER })).toEqual(["accepted"])
  })

  it("is accepted once it was told, and not before it was marked", () => {
    expect(planned(BEFORE).check({ [DOC]: AFTER }, true)).toEqual(["changed"])
    expect(planned(BEFORE, { status: "changed" }).check({ [DOC]: AFTER }, false)).toEqual(["changed"])
    expect(planned(BEFORE, { status: "changed" }).check({ [DOC]: AFTER }, true)).toEqual(["accepted"])
  })

  it("edited back: accepted; gone stays changed, told or not", () => {
    expect(planned(BEFORE, { status: "changed" }).check({ [DOC]: BEFORE })).toEqual(["accepted"])
    expect(planned(BEFORE, { status: "changed" }).check({}, true)).toEqual([])
  })

  it("moved: superseded by the newest that was registered with the same sections and is there", () => {
    const { g, plan, task, check } = planned()
    const at = (path: string, hours: number, text = BEFORE) =>
      g.artifact(path, {
        plan_id: plan.id,
        task_id: task.id,
        ...stateOf(path, text),
        created_at: g.at(hours),
      })
    at("docs/older.md", 1)
    at("docs/newer.md", 2)
    at("docs/newest.md", 3)
    at("docs/other.md", 4, AFTER)
    const others = { "docs/older.md": BEFORE, "docs/newer.md": BEFORE, "docs/other.md": AFTER }
    expect(check(others)).toEqual(["superseded by docs/newer.md", "superseded by docs/newer.md"])
    expect(check({ [DOC]: BEFORE, ...others })).toEqual(["superseded by docs/newer.md"])
  })

  it("moved back: accepted", () => {
    const { g, plan } = planned()
    const moved = g.artifact("docs/new.md", { plan_id: plan.id, ...stateOf("docs/new.md", BEFORE) })
    g.artifact(DOC, {
      plan_id: plan.id,
      ...stateOf(DOC, BEFORE),
      status: "superseded",
      superseded_by: moved.id,
    })
    const found = checkFiles(g.state, filesOf({ [DOC]: BEFORE }), () => false)
    expect(found).toMatchObject([
      { kind: "accepted", artifact: { path: DOC } },
      { kind: "superseded", artifact: { path: "docs/new.md" }, by: { path: DOC } },
    ])
  })
})

describe("what is watched", () => {
  it("a plan's document that is not registered yet, as soon as it is there", () => {
    const g = graphOf()
    g.plan("Waits", { sot_document_path: DOC })
    expect(watchedPaths(g.state)).toEqual([DOC])
    expect(checkFiles(g.state, filesOf({}), () => false)).toEqual([])
    expect(checkFiles(g.state, filesOf({ [DOC]: "# A" }), () => false)).toMatchObject([
      { kind: "appeared", path: DOC, plan: { title: "Waits" } },
    ])
  })

  it("files of plans that are not over and of anchors that stand; nothing without a hash", () => {
    const g = graphOf()
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
    expect(watchedPaths(g.state).sort()).toEqual(["anchored.ts", "kept.md", "open.md"])
  })
})
