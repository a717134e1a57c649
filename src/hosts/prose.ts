/**
 * What an agent says about its work in the arguments of a call, and nothing else: code, commands, patterns and paths may
 * well speak of retries and loops.
 */
export function proseIn(args: Readonly<Record<string, unknown>>, isFile: boolean): string {
  // A file's text is called content too.
  const said = [...PROSE, ...(isFile ? [] : ["content"])].map((name) => args[name])
  const todos = Array.isArray(args["todos"]) ? args["todos"].map((todo: unknown) => contentOf(todo)) : []
  return [...said, ...todos]
    .filter((words) => typeof words === "string")
    .map((words) => words.slice(0, MAX_CHARS))
    .join("\n")
}

function contentOf(todo: unknown): unknown {
  return typeof todo === "object" && todo !== null && "content" in todo ? todo.content : undefined
}

const PROSE = ["description", "prompt", "reason", "summary", "evidence", "intent", "question", "thought"]
// Enough to hear the tone; a prompt of many pages is not read to its end after every call.
const MAX_CHARS = 2000
