import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { headOf } from "../../../src/graph/read-head.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool } from "../../tools/call-tool.ts"

const SESSION = "ses_1"

function told(hive: Hive, session = SESSION): string {
  const { state } = hive.store.read()
  const { xml } = pack(state, headOf(state, session), { now: hive.source.now() })
  return /^<head[^>]*>(.*)<\/head>$/m.exec(xml)?.[1] ?? ""
}

const start = (hive: Hive, intent: string) => callTool(hive, "session", { action: "start", intent })
const update = (hive: Hive, level: string, content: string) =>
  callTool(hive, "session", { action: "update", level, content })
const create = (hive: Hive, title: string) =>
  callTool(hive, "plan", { action: "create", title, acceptance: [], phases: ["All"] })

it("an intent belongs to its plan, and returns when the session returns to the plan", async () => {
  const hive = memoryHive()
  await start(hive, "Users can log in with a code")
  expect(told(hive)).toBe("Users can log in with a code")
  await update(hive, "trajectory", "Login")
  await update(hive, "action", "Send the code")
  expect(told(hive)).toBe("Users can log in with a code")
  await update(hive, "trajectory", "Billing")
  expect(told(hive)).toBe("Billing")
  await update(hive, "action", "Print the invoice")
  expect(told(hive)).toBe("Billing")
  await update(hive, "trajectory", "Login")
  expect(told(hive)).toBe("Users can log in with a code")
})

it("the words of the first task are about that task alone, and the next plan is not named by an old intent", async () => {
  const hive = memoryHive()
  await create(hive, "Shop")
  const other = "ses_2"
  const act = (content: string) =>
    callTool(hive, "session", { action: "update", level: "action", content }, other)
  await act("Fix the typo in the footer")
  expect(told(hive, other)).toBe("Fix the typo in the footer")
  await act("Sort the cart")
  expect(told(hive, other)).toBe("Shop")
  const { state } = hive.store.read()
  await callTool(hive, "plan", {
    action: "abandon",
    plan_id: headOf(state, other)?.active_plan_id,
    reason: "sold",
  })
  await act("Write the farewell")
  expect(told(hive, other)).not.toContain("typo")
})
