import { describe, expect, it } from "vitest"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { stuckWords, subjectsOf } from "../../src/watch/keywords.ts"

const wordsIn = (args: object, task: string, asked = "") =>
  stuckWords(
    readCall({ id: "call_1", session: "ses_1", agent: null, tool: "x", args }).prose,
    task,
    subjectsOf(asked),
  )

describe("words of being stuck", () => {
  it.each([
    [{ description: "Let me retry the build" }, ["retry"]],
    [{ prompt: "I am stuck and do not understand why" }, ["stuck", "confused"]],
    [{ action: "save", content: "We go in circles: the same error again" }, ["loop"]],
    [{ todos: [{ content: "Another attempt, with another port" }, { content: "Write docs" }] }, ["retry"]],
    [{ reason: "It keeps failing" }, ["loop"]],
  ])("are found in what the agent says: %j", (args, clusters) => {
    expect(wordsIn(args, "Build login")).toEqual(clusters)
  })

  it.each([
    [{ filePath: "src/retry.ts", content: "// retry until it no longer keeps failing" }],
    [{ command: "grep -rn 'stuck|retry' src", description: "Search for the words" }],
    [{ filePath: "a.ts", oldString: "retry()", newString: "retryTwice()" }],
    [{ patchText: "+ retry loop" }],
    [{ description: "Add a loop over all users", prompt: "Build a for loop" }],
    [{ todos: "retry", description: 3, prompt: null }],
    [{}],
  ])("are not found in code, commands and paths, nor in loops that are meant: %j", (args) => {
    expect(wordsIn(args, "Build login")).toEqual([])
  })

  it.each([
    "Run the retry tests once more",
    "Retry on 429, then try again after a second",
    "Can the queue get stuck in a loop? Retry what is confusing",
  ])("are not found in what the work is about: %j", (description) => {
    expect(wordsIn({ description }, "Build login")).toEqual([])
  })

  it("are not found where the task itself, or the user, is about them", () => {
    const args = { description: "Let me retry it; I am stuck" }
    expect(wordsIn(args, "Build login")).toEqual(["retry", "stuck"])
    expect(wordsIn(args, "Retry failed uploads")).toEqual(["stuck"])
    expect(wordsIn(args, "Uploads", "Retries, please: uploads get stuck")).toEqual([])
  })
})
