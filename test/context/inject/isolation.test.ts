import { expect, it } from "vitest"
import { createInjector } from "../../../src/context/inject/injector.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { fileHive } from "../../support/file-hive.ts"

it("a session is told its own read-head, never that of another one; they share the graph", async () => {
  const hive = await fileHive()
  const injector = createInjector({
    paths: hivePaths(hive.home),
    evidence: () => undefined,
    files: () => undefined,
    more: "",
    onError: (_, error) => {
      throw error
    },
  })
  const told = (session: string, count: number) => {
    const messages = Array.from({ length: count }, (_, n) => ({
      id: `msg_${session}_${n}`,
      role: "user" as const,
      text: "go on",
      isCompactionRequest: false,
    }))
    return [...injector.inject(hive, session, messages, undefined).parts.values()].at(-1)?.join("\n") ?? ""
  }
  const work = async (session: string, plan: string, task: string) => {
    const caller = { session, agent: "build", tool: "test" }
    await updateSession(hive, caller, { level: "trajectory", content: plan })
    await updateSession(hive, caller, { level: "action", content: task })
  }
  await work("ses_a", "Login", "Build the form")
  await work("ses_b", "Checkout", "Take payments")
  const headIn = (text: string) => /<task [^>]*>([^<]*)<\/task>/.exec(text)?.[1]
  expect(headIn(told("ses_a", 1))).toBe("Build the form")
  expect(headIn(told("ses_b", 1))).toBe("Take payments")
  // The other one moves on: nothing is said of where this one stands.
  await work("ses_b", "Checkout", "Send the receipt")
  expect(headIn(told("ses_a", 2))).toBeUndefined()
  expect(headIn(told("ses_b", 2))).toBe("Send the receipt")
  // A third one begins in the project, but without a task and without an intent.
  const third = told("ses_c", 1)
  expect(third).toContain("Checkout")
  expect(headIn(third)).toBeUndefined()
})
