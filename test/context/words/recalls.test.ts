import { expect, it, onTestFinished, vi } from "vitest"
import type { Injection } from "../../../src/context/inject/record.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { keepCorrection } from "../../../src/knowledge/extract/corrections.ts"
import { memIndexOf } from "../../../src/knowledge/index/mem-index.ts"
import { saveMem } from "../../../src/knowledge/memory/save.ts"
import type { Task } from "../../../src/schemas/task.ts"
import { withTimeout } from "../../../src/shared/timeout.ts"
import { createPlan, planTasks } from "../../../src/work/plan/create.ts"
import { abandonPlan } from "../../../src/work/plan/end.ts"
import { failTask } from "../../../src/work/task/finish.ts"
import { fileHive } from "../../support/file-hive.ts"
import { injectorIn, userMessage } from "../at-work.ts"

const caller = { session: "ses_old", agent: null, tool: "test" }
const DAY_S = 24 * 3600

async function conversation(hive: Hive) {
  await memIndexOf(hive.store).warm()
  const injector = injectorIn(hive.home)
  const messages: ReturnType<typeof userMessage>[] = []
  return {
    async say(text: string, of = hive, waitMs = Number.POSITIVE_INFINITY): Promise<Injection> {
      messages.push(userMessage(`msg_${messages.length}`, text))
      const found = injector.beginRecall(of, "ses_new", text)
      await (waitMs === Number.POSITIVE_INFINITY ? found : withTimeout(found, waitMs))
      const recalled = await injector.recalledFor(of, "ses_new", messages)
      injector.inject(of, "ses_new", messages, undefined, recalled)
      return injector.injections("ses_new").at(-1) as Injection
    },
  }
}

function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
}

async function fill(hive: Hive, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await saveMem(hive, caller, { content: `Colour number ${n} of the palette`, ttl_hours: 10_000 })
}

const reasonOf = ({ items }: Injection, id: string) => items.find((item) => item.id === id)?.reason

it("an archived mem that a message asks about is in the delta once, and is not retracted later", async () => {
  const hive = await fileHive()
  const mem = await saveMem(hive, caller, {
    content: "Tokens are JWTs with a refresh cookie, because the edge has no session store",
    kind: "decision",
    ttl_hours: 72,
  })
  const correct = (session: string, words: string) => keepCorrection(hive, { ...caller, session }, words)
  const [own] = await correct("ses_new", "No, the jwt refresh cookie is signed by HSM")
  const [other] = await correct("ses_old", "No, the jwt refresh cookie is rotated by Envoy")
  await fill(hive, 20)
  hive.source.seconds += 20 * DAY_S
  await hive.store.fold()
  expect(hive.store.read().state.mem.has(mem.id)).toBe(false)
  const talk = await conversation(hive)
  expect(reasonOf(await talk.say("Good morning, let's go on"), mem.id)).toBeUndefined()
  const asked = await talk.say("remind me, how do refresh tokens work with our jwt?")
  expect(reasonOf(asked, mem.id)).toMatch(/^words: .*refresh.*jwt/)
  expect(asked.kind).toBe("delta")
  expect(asked.parts.join()).toContain("the edge has no session store")
  // The model has seen the user correct it in this session.
  expect([own, other].map((mem) => reasonOf(asked, mem?.id ?? "") !== undefined)).toEqual([false, true])
  for (const text of ["ok", "so the jwt refresh is in a cookie?"]) {
    const next = await talk.say(text)
    expect(next.gone).toEqual([])
    expect(reasonOf(next, mem.id)).toBeUndefined()
  }
})

/** A hive with two failed tasks of a plan that is over, and a session that works on something else. */
async function withFailures() {
  const hive = await fileHive()
  const { plan } = await createPlan(hive, caller, { title: "Live updates", acceptance: [] })
  const tried = await planTasks(hive, caller, plan.id, [
    { title: "Push prices through a websocket gateway", expected_output: "Prices move without reloading" },
    { title: "Sign invoices with a hardware key", expected_output: "Signed PDFs" },
  ])
  const reasons = ["the load balancer cuts idle sockets after a minute", "the key cannot be shared"]
  for (const [n, { id }] of tried.entries()) await failTask(hive, caller, id, reasons[n] ?? "")
  await abandonPlan(hive, caller, plan.id, "polling is enough")
  await createPlan(hive, { ...caller, session: "ses_new" }, { title: "Reports", acceptance: [] })
  await fill(hive, 60)
  hive.source.seconds += 20 * DAY_S
  return { hive, socket: tried[0] as Task, invoices: tried[1] as Task, talk: await conversation(hive) }
}

it("a failed task of any plan is recalled by the user's words, with its reason, and no other one is", async () => {
  const { socket, invoices, talk } = await withFailures()
  expect((await talk.say("run the tests again and tell me what is red")).parts.join()).not.toContain(
    "<failed",
  )
  const asked = await talk.say("could we use websockets for the prices?")
  expect(reasonOf(asked, socket.id)).toMatch(/^failed; words: .*websockets.*prices/)
  expect(asked.parts.join()).toContain("cuts idle sockets after a minute")
  expect(reasonOf(asked, invoices.id)).toBeUndefined()
  expect((await talk.say("ok")).parts.join()).not.toContain("<failed")
})

it("the first message of a process waits longer, because the index is built with it", async () => {
  const hive = await fileHive()
  const mem = await saveMem(hive, caller, { content: "Passkeys instead of SMS codes", kind: "decision" })
  await fill(hive, 70)
  hive.source.seconds += 20 * DAY_S
  const talk = await conversation(hive)
  const { store } = hive
  let finishIndex = () => {}
  const built = new Promise<void>((resolve) => {
    finishIndex = resolve
  })
  const slow: Hive = { ...hive, store: { ...store, ready: () => built.then(() => store.ready()) } }
  useFakeClock()
  const said = talk.say("why passkeys and no sms codes?", slow, 150)
  await vi.advanceTimersByTimeAsync(150)
  // Now the message waits; longer than it would once the index is built.
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0)
  await vi.advanceTimersByTimeAsync(300)
  finishIndex()
  expect(reasonOf(await said, mem.id)).toMatch(/^words: .*passkeys/)
})
