import { expect, it } from "vitest"
import { titleOf } from "../../../src/hosts/opencode/titles.ts"
import type { ToolReply } from "../../../src/tools/tool.ts"

const done: ToolReply = { status: "success" }
const refused: ToolReply = {
  ...{ status: "error", code: "lifecycle", what: "The task is blocked.", why: "x" },
  ...{ use_instead: "x", evidence: "x" },
}
const tasks = [{ title: "Collect" }, { title: "Count" }]

it.each<[args: unknown, reply: ToolReply, title: string]>([
  [{ action: "start", intent: "Tolls" }, done, "start: Tolls"],
  [{ action: "save", content: "Tolls are in cents" }, done, "save: Tolls are in cents"],
  [{ action: "complete", evidence: "a.ts" }, { ...done, title: "Collect" }, "complete: Collect"],
  [{ action: "plan_tasks", tasks }, done, "plan_tasks: Collect, Count"],
  [{ action: "export" }, { ...done, file: "exports/a.json" }, "export: exports/a.json"],
  [{ action: "list" }, { ...done, count: 2 }, "list"],
  [{ command: "npm test" }, done, "npm test"],
  [{ action: "complete" }, refused, "complete refused: The task is blocked."],
  [null, refused, "call refused: The task is blocked."],
])("a call of our tools with %j has a title that names its subject", (args, reply, title) => {
  expect(titleOf(args, reply)).toBe(title)
})
