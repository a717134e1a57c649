import type { Step } from "../../support/session-player.ts"

/*
 * The vocabulary of the scenarios: a session is a list of these.
 */

export const user = (text: string): Step => ({ user: text })
export const answer: Step = { answer: true }

export const read = (filePath: string, offset?: number): Step => ({
  tool: "read",
  args: offset === undefined ? { filePath } : { filePath, offset },
  output: `the text of ${filePath} from ${offset ?? 0}`,
})

export const grep = (pattern: string): Step => ({
  tool: "grep",
  args: { pattern },
  output: `matches of ${pattern}`,
})

/** An edit that works. */
export const edit = (filePath: string, oldString: string, newString: string): Step => ({
  tool: "edit",
  args: { filePath, oldString, newString },
  writes: { [filePath]: `${newString}\n` },
})

export const write = (filePath: string, content: string): Step => ({
  tool: "write",
  args: { filePath, content },
  writes: { [filePath]: content },
})

export const remove = (path: string): Step => ({
  tool: "bash",
  args: { command: `rm ${path}`, description: "Remove it" },
  output: "",
  removes: [path],
})

export const run = (
  command: string,
  exit: number,
  output: string,
  description = "Run the command",
): Step => ({
  tool: "bash",
  args: { command, description },
  exit,
  output,
})

export const passes = (command = "npm test"): Step => run(command, 0, "all tests passed", "Run the tests")
export const fails = (error: string, command = "npm test"): Step => run(command, 1, error, "Run the tests")

export const task = (content: string): Step => ({
  tool: "hivemind_session",
  args: { action: "update", level: "action", content },
})

export const times = (count: number, make: (n: number) => Step | readonly Step[]): Step[] =>
  Array.from({ length: count }, (_, n) => make(n)).flat()
