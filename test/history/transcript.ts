import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export type Happened =
  | { user: string }
  | { rejects: string; command: string }
  | { queued: string }
  | { say: string }
  | { run: string; ok?: boolean; output?: string }
  | { edit: string }
  | { todos: readonly [text: string, isDone: boolean][] }

export function claudeTranscript(
  home: string,
  project: string,
  id: string,
  happened: readonly Happened[],
  from = "2026-02-01T10:00:00.000Z",
): string {
  let count = 0
  const record = (fields: object) => {
    const timestamp = new Date(Date.parse(from) + ++count * 60_000).toISOString()
    return { sessionId: id, cwd: project, gitBranch: "main", timestamp, uuid: `${id}-${count}`, ...fields }
  }
  const called = (name: string, input: object, content: string, is_error = false) => {
    const call = { type: "tool_use", id: `t${count}`, name, input }
    const result = { type: "tool_result", tool_use_id: call.id, content, is_error }
    return [
      record({ type: "assistant", message: { content: [call] } }),
      record({ type: "user", message: { content: [result] } }),
    ]
  }
  const lines = happened.flatMap((each): object[] => {
    if ("user" in each) return [record({ type: "user", message: { content: each.user } })]
    if ("queued" in each)
      return [record({ type: "queue-operation", operation: "enqueue", content: each.queued })]
    if ("say" in each)
      return [record({ type: "assistant", message: { content: [{ type: "text", text: each.say }] } })]
    if ("edit" in each) return called("Edit", { file_path: join(project, each.edit) }, "ok")
    if ("todos" in each) {
      const statusOf = (isDone: boolean) => (isDone ? "completed" : "pending")
      const todos = each.todos.map(([content, isDone]) => ({ content, status: statusOf(isDone) }))
      return called("TodoWrite", { todos }, "ok")
    }
    if ("rejects" in each)
      return called("Bash", { command: each.command }, `${REJECTED}${each.rejects}`, true)
    const { run, ok = true, output = ok ? "ok" : "Error: it failed" } = each
    return called("Bash", { command: run }, ok ? output : `Exit code 1\n${output}`, !ok)
  })
  const path = join(home, ".claude", "projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  return path
}

export const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n"
