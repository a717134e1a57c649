import { expect, it } from "vitest"
import { titleOf } from "../../../src/hosts/opencode/titles.ts"
import { type ToolName, toolActions, toolName } from "../../../src/shared/tool-names.ts"
import type { ToolReply } from "../../../src/tools/tool.ts"
import { commitFiles, gitRepo } from "../../support/git-repo.ts"
import { memoryHive } from "../../support/hive.ts"
import { tempProject } from "../../support/temp-project.ts"
import { callTool } from "../../tools/call-tool.ts"

it("every action reads as what it did, with the reply that it really gives", async () => {
  const dir = gitRepo(await tempProject(), {
    "a.ts": "export const a = 1 // TODO: more\n",
    "package.json": "{}",
  })
  commitFiles(dir, { "b.ts": 'import { a } from "./a"\nexport const b = a\n' }, "b")
  const hive = { ...memoryHive(), home: dir, dir }
  const seen = new Set<string>()
  const title = async (tool: ToolName, args: Record<string, unknown>) => {
    const reply = (await callTool(hive, tool, args)) as ToolReply & Record<string, string>
    expect(reply, JSON.stringify(args)).toMatchObject({ status: "success" })
    seen.add(`${tool} ${String(args["action"])}`)
    return { reply, title: titleOf(toolName(tool), args, reply) }
  }
  const says = async (tool: ToolName, args: Record<string, unknown>, words: string | RegExp) => {
    const found = await title(tool, args)
    if (typeof words === "string") expect(found.title).toBe(words)
    else expect(found.title).toMatch(words)
    return found.reply
  }

  const { stamp = "" } = await says("session", { action: "start", intent: "Tolls" }, "session began: Tolls")
  await says("session", { action: "update", level: "trajectory", content: "Bridges" }, "now at: Bridges")
  await says("session", { action: "status" }, "where the session stands: Bridges")
  const { entity_id: plan } = await says(
    "plan",
    { action: "create", title: "Tolls", acceptance: ["paid"] },
    "made the plan: Tolls",
  )
  const tasks = ["Collect", "Count"].map((name) => ({ title: name, expected_output: "x" }))
  const planned = await says(
    "plan",
    { action: "plan_tasks", plan_id: plan, tasks },
    "planned 2 tasks: Collect, Count",
  )
  const [one, two] = (planned["tasks"] as unknown as { entity_id: string }[]).map((each) => each.entity_id)
  await says("plan", { action: "status", plan_id: plan }, "how far the plans are: Tolls")
  await says("task", { action: "start", task_id: one }, "started the task: Collect")
  await says("task", { action: "status" }, "how far the task is: Collect (active)")
  const { entity_id: mem } = await says(
    "memory",
    { action: "save", content: "Tolls are in cents" },
    "remembered: Tolls are in cents",
  )
  const { entity_id: other } = await says("memory", { action: "save", content: "x" }, "remembered: x")
  await says("memory", { action: "recall", query: "cents" }, /^recalled \d about: cents$/)
  await says("memory", { action: "list" }, "listed 2 mems")
  await says("memory", { action: "link", from: mem, to: other }, /^linked \S{8} to \S{8}$/)
  await says("memory", { action: "flag", mem_id: other, reason: "wrong" }, /^flagged \S{8} as wrong: wrong$/)
  await says("memory", { action: "stale" }, "0 stale mems")
  await says("memory", { action: "tree" }, "what is remembered, on 1 shelf")
  await says("memory", { action: "purge", mem_id: other }, "purged 1 mem")
  await says("anchor", { action: "save", key: "port", value: "4096" }, "anchored port: 4096")
  await says("anchor", { action: "list" }, "listed 1 anchor")
  await says("anchor", { action: "get", key: "port" }, "anchor port: 4096")
  await says("anchor", { action: "update", key: "port", value: "1" }, "anchored anew port: 1")
  await says("anchor", { action: "remove", key: "port" }, "removed the anchor port")
  await says("task", { action: "review" }, "up for review: Collect")
  await says("task", { action: "complete", task_id: one, evidence: "a.ts" }, "completed: Collect")
  const { entity_id: handed } = await says(
    "delegate",
    { action: "assign", task_id: two, to: "hive-executor" },
    `handed ${two?.slice(0, 8)} to hive-executor`,
  )
  await says("delegate", { action: "status" }, "who works for whom: 1 delegation")
  await says(
    "delegate",
    { action: "recall", delegation_id: handed, reason: "later" },
    "took work back: later",
  )
  await says("delegate", { action: "research", question: "Why tolls?" }, "asked a researcher: Why tolls?")
  await says("task", { action: "fail", task_id: two, reason: "no use" }, "failed: Count, no use")
  await says("inspect", { action: "scan" }, /^what needs a look: (nothing|\d)/)
  await says("inspect", { action: "deep", id: two }, `looked at task ${two?.slice(0, 8)}`)
  await says("inspect", { action: "drift" }, "drift 0 of 100")
  await says("inspect", { action: "trace", stamp }, /^traced \d+(-\d+)?: \d+ hits?$/)
  await says("hierarchy", { action: "status" }, /^the tree of plans/)
  await says("hierarchy", { action: "prune" }, /^folded \d+ finished branch/)
  await says("hierarchy", { action: "migrate" }, "took over older files, 0 kept as .bak")
  await says("cycle", { action: "export" }, /^exported to \.hivemind\/.*\.json$/)
  await says("cycle", { action: "list" }, "listed 1 export")
  await says("cycle", { action: "prune", keep: 1 }, "deleted 0 exports, kept 1")
  await says("scan", { action: "full" }, "scanned the project")
  for (const action of ["incremental", "drift", "frameworks", "documents"])
    await says("scan", { action }, /^(scanned what|what has changed|the project's)/)
  await says("codemap", { action: "scan" }, "mapped the code")
  await says("codemap", { action: "diff" }, "what has changed in the code")
  await says("codemap", { action: "inconsistencies" }, "comments and imports that are wrong")
  await says("codemap", { action: "todos", path: "a.ts" }, "todos in the code: a.ts")
  await says("codemap", { action: "graph", path: "a.ts" }, "what depends on a.ts")
  await says(
    "plan",
    { action: "abandon", plan_id: plan, reason: "no bridge" },
    "gave the plan up: Tolls, no bridge",
  )
  const { entity_id: done } = await says("plan", { action: "create", title: "Done", acceptance: [] }, /Done$/)
  await says("plan", { action: "archive", plan_id: done }, "put the plan away: Done")
  await says("session", { action: "close" }, `closed session ${stamp}`)
  await says("session", { action: "resume", session: stamp }, `took up session ${stamp}`)

  const all = Object.entries(toolActions).flatMap(([tool, actions]) =>
    actions.map((each) => `${tool} ${each}`),
  )
  expect(all.filter((each) => !seen.has(each))).toEqual(["session settle", "session restore"])
})

it("a refusal says what was refused, a command itself, and a call of no known form at least its action", () => {
  const refused: ToolReply = {
    ...{ status: "error", code: "lifecycle", what: "The task is blocked.", why: "x" },
    ...{ use_instead: "x", evidence: "x" },
  }
  expect(titleOf("hivemind_task", { action: "complete" }, refused)).toBe(
    "complete refused: The task is blocked.",
  )
  expect(titleOf("hivemind_shell", { command: "npm test" }, { status: "success" })).toBe("npm test")
  expect(titleOf("hivemind_session", { action: "settle", take: "kept" }, { status: "success" })).toBe(
    "settled a conflict: kept",
  )
  const restore = { action: "restore", snapshot: "S41" }
  expect(titleOf("hivemind_session", restore, { status: "success", restored: 1 })).toBe(
    "restored 1 file from S41",
  )
  expect(titleOf("hivemind_task", null, refused)).toBe("call refused: The task is blocked.")
  expect(titleOf("hivemind_other", { action: "x" }, { status: "success" })).toBe("x")
})
