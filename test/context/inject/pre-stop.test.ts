import { expect, it } from "vitest"
import { unmetItems } from "../../../src/context/inject/decide.ts"
import { graphOf } from "../../support/graph.ts"

it("the commit reminder suggests the session's stamp", () => {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build the form", { status: "active" })
  g.checkpoint(task, { files: ["a", "b"], command: "npm test", did: ["test"] })
  const head = g.head("Add a login page", plan, phase, task)
  expect(unmetItems(g.state, head, 2, "301411022026-2").join()).toContain(
    "2 files changed since the last commit; put [301411022026-2] in the message<",
  )
  expect(unmetItems(g.state, head, 2, undefined).join()).toContain("since the last commit<")
})

it("a command counts by its effect, not by its words", () => {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build the form", { status: "active", verify: "node prove.js" })
  const head = g.head("Add a login page", plan, phase, task)
  g.checkpoint(task, { files: ["test/form.ts"], command: "echo 'git commit' > test/form.ts" })
  expect(unmetItems(g.state, head, 1, undefined)).toHaveLength(2)
  g.checkpoint(task, { command: "node prove.js && git -C . commit -am x", did: ["verify", "commit"] })
  expect(unmetItems(g.state, head, 1, undefined)).toEqual([])
})
