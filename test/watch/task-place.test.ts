import { expect, it } from "vitest"
import { placeOf } from "../../src/watch/task-place.ts"
import { graphOf } from "../support/graph.ts"

const WEEKS = "Make src/dates/parse.ts accept weeks"
const LOGIN = "Login form shows a spinner"

/** Where a call is, seen from a task of that title. */
function place(title: string, written: string[], { named = "", text = "", asked = "" } = {}) {
  const g = graphOf()
  const task = g.task(g.phase(g.plan("P"), "API"), title)
  return placeOf(task, { written, named, text }, asked)?.sort ?? null
}

it.each([
  [WEEKS, ["src/billing/a.ts"], "far"],
  [WEEKS, ["src/dates/format.ts"], "here"],
  [WEEKS, ["test/parse.test.ts"], "here"],
  [WEEKS, ["src/billing/a.ts", "src/dates/parse.ts"], "here"],
  [WEEKS, ["CHANGELOG.md", "docs/a.md", "package.json"], null],
  [LOGIN, ["src/login/button.tsx"], "here"],
  [LOGIN, ["src/ui/LoginForm.tsx"], "here"],
  [LOGIN, ["src/billing/a.ts"], "beside"],
  ["Fix it", ["src/billing/a.ts"], null],
])("of a task %j, %j is %j", (title, paths, sort) => {
  expect(place(title, paths)).toBe(sort)
})

it("what a call speaks of may be the task's too, where the task names no place", () => {
  expect(place(LOGIN, ["src/ui/button.tsx"], { text: "<Spinner />" })).toBe("related")
  expect(place(LOGIN, ["src/ui/button.tsx"], { named: "sed -i s/a/b/ for the login" })).toBe("related")
  expect(place(WEEKS, ["src/ui/button.tsx"], { text: "parse()" })).toBe("far")
})

it("what the user asked for last is not away from the task", () => {
  expect(place(WEEKS, ["src/invoices/a.ts"], { asked: "invoic cent" })).toBe("related")
  expect(place(LOGIN, ["src/invoices/a.ts"], { asked: "invoic cent" })).toBe("related")
})

it("a call that only looks may find the place of a task that names none", () => {
  expect(place(LOGIN, [], { named: '["read",{"filePath":"src/login.ts"}]' })).toBe("seen")
  expect(place(LOGIN, [], { named: '["read",{"filePath":"src/a.ts"}]' })).toBe(null)
  expect(place(WEEKS, [], { named: "src/dates/parse.ts" })).toBe(null)
})
