import { describe, expect, it } from "vitest"
import { toolsFor } from "../../src/hosts/opencode/calls.ts"
import type { ToolName } from "../../src/shared/tool-names.ts"
import { bash, gatedProject, write } from "../support/gated-project.ts"

describe("of two reasons to refuse a call, the one checked first is given", () => {
  const investigator = "hive-investigator"

  it("too many files in one call first, then a protected path, then data loss, then the role", () => {
    const { codeOf } = gatedProject()
    const named = Array.from({ length: 1001 }, (_, n) => `*** Update File: .hivemind/${n}\n`).join("")
    expect(codeOf("apply_patch", { patchText: named })).toBe("invalid_argument")
    const coordinator = { agent: "hive-coordinator" }
    expect(codeOf(...bash("git push -f; echo x > .hivemind/x"), coordinator)).toBe("protected")
    expect(codeOf(...bash("git push -f"), coordinator)).toBe("destructive")
    expect(codeOf(...bash("ls"), coordinator)).toBe("role")
  })

  it("the role before its paths, its paths before the task", () => {
    const { codeOf } = gatedProject({ assigned_session_id: "ses_other" }, "nothing")
    expect(codeOf(...write("/etc/hosts"), { agent: "hive-coordinator" })).toBe("role")
    expect(codeOf(...write("src/a.ts"), { agent: investigator })).toBe("scope")
    expect(codeOf(...write(".hivemind/artifacts/a.md"), { agent: investigator })).toBe("no_task")
  })

  it("what the task waits for before its tools, its tools before the locks of others", () => {
    const { g, phase, task, codeOf } = gatedProject({ allowed_tools: ["bash"] })
    g.task(phase, "Other", { status: "active", file_locks: ["src"] })
    const before = g.task(phase, "Migrate", { status: "planned" })
    g.state.task.set(task.id, { ...task, depends_on: [before.id] })
    expect(codeOf(...write("src/a.ts"))).toBe("lifecycle")
    g.state.task.set(before.id, { ...before, status: "completed" })
    expect(codeOf(...write("src/a.ts"))).toBe("not_allowed")
    expect(codeOf(...bash("echo x > src/a.ts"))).toBe("conflict")
  })

  it("the task's tools before the rules of delegation", () => {
    const handOver = ["task", { subagent_type: "general", prompt: "Look" }] as const
    expect(gatedProject({ allowed_tools: ["bash"] }).codeOf(...handOver)).toBe("not_allowed")
    expect(gatedProject().codeOf(...handOver)).toBe("no_delegation")
  })
})

describe("a role is refused what it may not use, though that is hidden from it", () => {
  const planning: ToolName[] = ["plan", "delegate"]
  const denied: Record<string, readonly string[]> = {
    "hive-coordinator": [...toolsFor.write, ...toolsFor.shell, "hivemind_shell"],
    "hive-investigator": [...planning.map((name) => `hivemind_${name}`), ...toolsFor.delegate],
    "hive-executor": [...planning.map((name) => `hivemind_${name}`), ...toolsFor.delegate],
  }
  const args = { filePath: "a.ts", command: "ls", subagent_type: "general", prompt: "x", action: "status" }
  for (const [agent, tools] of Object.entries(denied))
    it.each(tools)(`${agent}: %s`, (tool) => {
      const { codeOf } = gatedProject({ allowed_tools: null })
      // OpenCode's permission `edit` stands for tools with names of their own.
      const called = tool === "edit" ? "write" : tool
      expect(codeOf(called, args, { agent, governance: "assisted" })).toBe("role")
      expect(codeOf(called, args, { agent: "build", governance: "assisted" })).toBe("passed")
    })
})

it("a write waits for a temporal gate, for another plan, and for a person who has blocked the task", () => {
  const { g, phase, task, codeOf } = gatedProject()
  const before = g.task(phase, "Migrate", { status: "planned" })
  g.state.task.set(task.id, { ...task, temporal_gate: { after_task_id: before.id, reason: "the schema" } })
  expect(codeOf(...write("src/a.ts"), { governance: "assisted" })).toBe("lifecycle")
  expect(codeOf("read", { filePath: "src/a.ts" })).toBe("passed")
  g.state.task.set(before.id, { ...before, status: "completed" })
  expect(codeOf(...write("src/a.ts"))).toBe("passed")
  // A plan that is gone does not count as completed.
  for (const plan of g.state.plan.values()) g.state.plan.set(plan.id, { ...plan, depends_on: ["gone"] })
  expect(codeOf(...write("src/a.ts"))).toBe("lifecycle")
  const blocked = gatedProject({ held_back: "not before Monday" })
  expect(blocked.codeOf(...write("src/a.ts"), { governance: "assisted" })).toBe("lifecycle")
})

it("a session without a task takes up none where two are free, or the only one is another session's", () => {
  const { g, phase, codeOf, check } = gatedProject({ assigned_session_id: null }, "nothing")
  expect(check(...write("src/a.ts")).inherited).toBe(true)
  const second = g.task(phase, "Second", { status: "active", assigned_session_id: "ses_other" })
  expect(check(...write("src/a.ts")).inherited).toBe(true)
  g.state.task.set(second.id, { ...second, assigned_session_id: null })
  expect(codeOf(...write("src/a.ts"))).toBe("no_task")
})
