import { describe, expect, it } from "vitest"
import { type Call, chooseStale, type Span } from "../../../src/context/prune/prune.ts"
import { isRepeatable } from "../../../src/hosts/opencode/calls.ts"

const call = (at: number, more: Partial<Call> = {}): Call => ({
  id: `c${at}`,
  tool: "read",
  at,
  size: 1000,
  isRepeatable: isRepeatable(more.tool ?? "read"),
  ...more,
})
const span = (from: number, to: number | null, state: Span["state"] = "done"): Span => ({
  title: `task ${from}`,
  from,
  to,
  state,
})
const newest = [call(901), call(902), call(903)]
const chosen = (calls: Call[], ...spans: Span[]) =>
  chooseStale([...calls, ...newest], spans).map(({ call: { id } }) => id)

describe("which tool output goes", () => {
  const cases: [name: string, calls: Call[], spans: Span[], gone: string[]][] = [
    ["that of a finished task", [call(10)], [span(5, 20)], ["c10"]],
    ["also at the very edges of its time", [call(5), call(20)], [span(5, 20)], ["c5", "c20"]],
    ["what ran outside of any task stays", [call(4), call(21)], [span(5, 20)], []],
    ["short output stays", [call(10, { size: 399 })], [span(5, 20)], []],
    ["given up work goes sooner", [call(10, { size: 200 })], [span(5, 20, "given up")], ["c10"]],
    ["and first", [call(10), call(30)], [span(5, 20), span(25, 40, "given up")], ["c30", "c10"]],
    [
      "the task at hand stays, also where another one is finished within it",
      [call(10)],
      [span(5, 20), span(1, null, "at hand")],
      [],
    ],
    [
      "a task that was left open does not hold on to what came after it",
      [call(10)],
      [span(5, 20), span(1, null, "open")],
      ["c10"],
    ],
    ["what belongs to the open task stays", [call(10)], [span(1, 20), span(5, null, "open")], []],
    ["replies of our own stay", [call(10, { tool: "hivemind_plan" })], [span(5, 20)], []],
    ["a command run through us goes", [call(10, { tool: "hivemind_shell" })], [span(5, 20)], ["c10"]],
    [
      "a subagent's report and a skill stay",
      [call(10, { tool: "task" }), call(11, { tool: "skill" })],
      [span(5, 20)],
      [],
    ],
  ]
  it.each(cases)("%s", (_, calls, spans, gone) => expect(chosen(calls, ...spans)).toEqual(gone))

  it("the newest three results of each tool stay, in any order", () => {
    const calls = [call(1), call(2), call(3), call(4)]
    expect(chooseStale(calls, [span(0, 10, "given up")]).map(({ call: { id } }) => id)).toEqual(["c1"])
    expect(chooseStale(calls.slice(1), [span(0, 10)])).toEqual([])
    expect(chooseStale(calls.toReversed(), [span(0, 10, "given up")]).map(({ call: { id } }) => id)).toEqual([
      "c1",
    ])
    expect(chooseStale([], [])).toEqual([])
  })
})
