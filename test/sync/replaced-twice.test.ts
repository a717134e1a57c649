import { expect, it } from "vitest"
import { recallForMessage } from "../../src/context/words/recall-for-message.ts"
import { lookupIn, obstaclesOf } from "../../src/graph/obstacles.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { flagMem } from "../../src/knowledge/memory/change.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { recall } from "../../src/knowledge/recall/recall.ts"
import type { Mem } from "../../src/schemas/knowledge.ts"
import type { Task } from "../../src/schemas/task.ts"
import { createPlan, planTasks } from "../../src/work/plan/create.ts"
import { sharedGraph } from "../support/clones.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { by } from "../support/records.ts"
import { makeTeam, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

const caller = { session: null, agent: null, tool: "test" }
const planner = { ...caller, session: "ses_1" }

it("a decision that two clones replace, each in its own way: the old words lead to both, in both", async () => {
  const { anna, bert, old, keychain, gateway } = await replacedTwice()
  for (const hive of [anna, bert]) {
    expect(await found(hive, "cookies")).toEqual(lines([keychain, old], [gateway, old]))
    const brought = await recallForMessage(hive, "Why do our sessions live in cookies?", "message")
    expect(brought.map((each) => "mem" in each && each.mem.content).sort()).toEqual(
      [keychain.content, gateway.content].sort(),
    )
  }

  const card = await decide(bert, "Tokens are kept on a smart card", keychain)
  await exchange(bert, anna)
  for (const hive of [anna, bert]) {
    expect(await found(hive, "cookies")).toEqual(lines([card, old], [gateway, old]))
    expect(await found(hive, "keychain")).toEqual(lines([card, keychain]))
  }

  await flagMem(anna, caller, { mem_id: gateway.id, reason: "It is too slow" })
  await exchange(anna, bert)
  for (const hive of [anna, bert]) expect(await found(hive, "cookies")).toEqual(lines([card, old]))
  await expectSame(anna, bert)
})

it("the same where the old one had been put away in one clone, or in both, or its replacement had", async () => {
  const { anna, bert } = await team()
  const old = await decide(anna, "Sessions live in cookies")
  await exchange(anna, bert)
  const keychain = await decide(anna, "Tokens are kept in the keychain", old)
  await anna.store.fold()
  const gateway = await decide(bert, "Logins are checked by the gateway", old)
  expect(await found(anna, "cookies")).toEqual(lines([keychain, old]))
  expect(await found(bert, "cookies")).toEqual(lines([gateway, old]))
  await exchange(anna, bert)
  await expectSame(anna, bert)
  const both = lines([keychain, old], [gateway, old])
  for (const hive of [anna, bert]) expect(await found(hive, "cookies")).toEqual(both)
  await bert.store.fold()
  for (const hive of [anna, bert]) expect(await found(hive, "cookies")).toEqual(both)
  const card = await decide(bert, "Tokens are kept on a smart card", keychain)
  await bert.store.fold()
  await exchange(bert, anna)
  for (const hive of [anna, bert])
    expect(await found(hive, "cookies")).toEqual(lines([card, old], [gateway, old]))
  await expectSame(anna, bert)
  const again = await openProcess(anna.dir)
  expect(await found(again, "cookies")).toEqual(lines([card, old], [gateway, old]))
  await again.store.close()
})

it("where one of the two takes its replacement back, the other one's stands", async () => {
  const { anna, bert, old, gateway } = await replacedTwice()
  const saved = (await anna.store.log()).findLast(({ ops }) =>
    ops.some((op) => op.op === "add" && op.kind === "mem" && JSON.stringify(op.record).includes("keychain")),
  )
  await anna.store.undo(saved?.id ?? "", by)
  await exchange(anna, bert)
  for (const hive of [anna, bert]) expect(await found(hive, "cookies")).toEqual(lines([gateway, old]))
  await expectSame(anna, bert)
  expect(anna.store.read().state.mem.get(old.id)?.status).toBe("superseded")
})

it("a question that two clones answer is answered, also where one takes its answer back before it knows of the other", async () => {
  const { anna, bert } = await team()
  const { plan } = await createPlan(anna, planner, { title: "Login", acceptance: [] })
  const decisions = ["Which provider?"]
  const [task] = await planTasks(anna, planner, plan.id, [
    { title: "Call it", expected_output: "x", decisions },
  ])
  const question = anna.store.read().state.mem.get(task?.decisions[0] ?? "") as Mem
  await exchange(anna, bert)
  await decide(bert, "Auth0", question)
  await decide(anna, "Keycloak", question)
  await undoLast(anna)
  expect(anna.store.read().state.task.get(task?.id ?? "")?.status).toBe("blocked")
  await exchange(anna, bert)
  for (const { store } of [anna, bert]) {
    const { state } = store.read()
    expect(state.mem.get(question.id)?.status).toBe("superseded")
    expect(obstaclesOf(state.task.get(task?.id ?? "") as Task, lookupIn(state))).toEqual([])
  }
  await expectSame(anna, bert)
})

/** Recalls these words. Returns each mem found and the mem that it replaces. */
async function found(hive: Hive, words: string): Promise<string[]> {
  const hits = await recall(hive, words)
  return hits.map(({ mem, replaces }) => `${mem.content} < ${replaces?.content}`).sort()
}

function lines(...pairs: [Mem, Mem][]): string[] {
  return pairs.map(([mem, replaced]) => `${mem.content} < ${replaced.content}`).sort()
}

function decide(hive: Hive, content: string, instead?: Mem): Promise<Mem> {
  return saveMem(hive, caller, { content, kind: "decision", ...(instead && { supersedes: instead.id }) })
}

async function team(): Promise<{ anna: Hive; bert: Hive }> {
  const { anna, bert } = makeTeam(await tempProject())
  return { anna: await openProcess(anna), bert: await openProcess(bert) }
}

async function replacedTwice() {
  const { anna, bert } = await team()
  const old = await decide(anna, "Sessions live in cookies")
  await exchange(anna, bert)
  const keychain = await decide(anna, "Tokens are kept in the keychain", old)
  const gateway = await decide(bert, "Logins are checked by the gateway", old)
  await exchange(anna, bert)
  return { anna, bert, old, keychain, gateway }
}

async function exchange(one: Hive, other: Hive): Promise<void> {
  for (const hive of [one, other, one]) await sync(hive)
}

async function undoLast({ store }: Hive): Promise<void> {
  const own = (await store.log()).findLast(({ brought, by }) => brought === undefined && by.tool === "test")
  if (own !== undefined) await store.undo(own.id, { ...by, tool: "undo" })
}

async function expectSame(one: Hive, other: Hive): Promise<void> {
  const [here, there] = [await allMems(one), await allMems(other)]
  expect(sharedGraph(one.store, here)).toEqual(sharedGraph(other.store, there))
}

async function allMems({ store }: Hive): Promise<Mem[]> {
  const hot = [...store.read().state.mem.values()]
  const away = (await store.archive.naming("")).filter(({ id }) => !store.read().state.mem.has(id))
  return [...hot, ...away]
}
