import { expect, it } from "vitest"
import { isFarFrom } from "../../src/watch/task-place.ts"
import { graphOf } from "../support/graph.ts"

it.each([
  ["Make src/dates/parse.ts accept weeks", ["src/billing/a.ts"], true],
  ["Make src/dates/parse.ts accept weeks", ["src/dates/format.ts"], false],
  ["Make src/dates/parse.ts accept weeks", ["test/parse.test.ts"], false],
  ["Make src/dates/parse.ts accept weeks", ["src/billing/a.ts", "src/dates/parse.ts"], false],
  ["Make src/dates/parse.ts accept weeks", ["CHANGELOG.md", "docs/a.md", "package.json"], null],
  ["Accept weeks", ["src/billing/a.ts"], null],
])("of a task %j, %j: far is %j", (title, paths, far) => {
  const g = graphOf()
  const task = g.task(g.phase(g.plan("P"), "API"), title)
  expect(isFarFrom(task, paths)).toBe(far)
})
