import { expect, it } from "vitest"
import { createInjector } from "../../../src/context/inject/injector.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { saveMem } from "../../../src/knowledge/memory/save.ts"
import { warmMemIndex } from "../../../src/knowledge/recall/mem-index.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { fileHive } from "../../support/file-hive.ts"

const caller = { session: "ses_old", agent: null, tool: "test" }
const DAY_S = 24 * 3600

/** A session that says one thing after the other. */
async function conversation(hive: Hive) {
  await warmMemIndex(hive.store)
  const injector = createInjector({
    paths: hivePaths(hive.home),
    evidence: () => undefined,
    files: () => undefined,
    more: "ask",
    onError: (what, error) => {
      throw new Error(what, { cause: error })
    },
  })
  const messages: { id: string; role: "user"; text: string; isCompactionRequest: boolean }[] = []
  return {
    injector,
    async say(text: string, of = hive): Promise<Injection> {
      messages.push({ id: `msg_${messages.length}`, role: "user", text, isCompactionRequest: false })
      const recalled = await injector.recalledFor(of, "ses_new", messages)
      injector.inject(of, "ses_new", messages, undefined, recalled)
      return injector.injections("ses_new").at(-1) as Injection
    },
  }
}

/** What has nothing to do with anything. */
async function fill(hive: Hive, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await saveMem(hive, caller, { content: `Colour number ${n} of the palette`, ttl_hours: 10_000 })
}

const reasonOf = ({ items }: Injection, id: string) => items.find((item) => item.id === id)?.reason

it("a mem in the archive joins the delta when it is asked for, once, and is not taken back afterwards", async () => {
  const hive = await fileHive()
  const mem = await saveMem(hive, caller, {
    content: "Tokens are JWTs with a refresh cookie, because the edge has no session store",
    kind: "decision",
    ttl_hours: 72,
  })
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
  for (const text of ["ok", "so the jwt refresh is in a cookie?"]) {
    const next = await talk.say(text)
    expect(next.gone).toEqual([])
    expect(reasonOf(next, mem.id)).toBeUndefined()
  }
})

it("one that was replaced leads to its replacement, and is taken back where it was shown", async () => {
  const hive = await fileHive()
  const old = await saveMem(hive, caller, { content: "Uploads go through the gateway", kind: "decision" })
  await fill(hive, 20)
  hive.source.seconds += 5 * DAY_S
  const talk = await conversation(hive)
  expect(reasonOf(await talk.say("where do uploads go, through the gateway?"), old.id)).toMatch(/^words/)
  const mem = await saveMem(hive, caller, {
    content: "Files are sent to S3 by presigned address",
    kind: "decision",
    supersedes: old.id,
  })
  const next = await talk.say("so do uploads still pass the gateway?")
  expect(next.gone.map(({ id }) => id)).toEqual([old.id])
  expect(reasonOf(next, mem.id)).toMatch(/uploads.*replaces/)
})

it("what the task at hand is about comes with it, and with every full state", async () => {
  const hive = await fileHive()
  const tried = await saveMem(hive, caller, {
    content: "Signing webhooks with HMAC over the parsed body broke the Stripe callback",
    kind: "false_path",
  })
  await fill(hive, 30)
  hive.source.seconds += 20 * DAY_S
  const talk = await conversation(hive)
  await updateSession(
    hive,
    { session: "ses_new", agent: null, tool: "test" },
    { level: "action", content: "Verify the signature of the Stripe webhooks" },
  )
  const first = await talk.say("ok")
  expect(reasonOf(first, tried.id)).toMatch(/task's words: .*stripe/)
  expect(first.parts.join()).toContain(`<avoid id="${shortId(tried.id)}"`)
})

it("the first message of a process waits longer, because the index is built with it", async () => {
  const hive = await fileHive()
  const mem = await saveMem(hive, caller, { content: "Passkeys instead of SMS codes", kind: "decision" })
  await fill(hive, 70)
  hive.source.seconds += 20 * DAY_S
  const talk = await conversation(hive)
  const { store } = hive
  // Longer than the first message of a session is held up otherwise.
  const built = new Promise((resolve) => setTimeout(resolve, 300))
  const slow: Hive = { ...hive, store: { ...store, ready: () => built.then(() => store.ready()) } }
  expect(reasonOf(await talk.say("why passkeys and no sms codes?", slow), mem.id)).toMatch(
    /^words: .*passkeys/,
  )
})

it("what is found too late for a message joins the next one", async () => {
  const hive = await fileHive()
  const mem = await saveMem(hive, caller, { content: "Passkeys instead of SMS codes", kind: "decision" })
  hive.source.seconds += 20 * DAY_S
  await fill(hive, 70)
  const talk = await conversation(hive)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { store } = hive
  const slow: Hive = { ...hive, store: { ...store, ready: () => held.then(() => store.ready()) } }
  talk.injector.beginRecall(slow, "ses_new", "why passkeys and no sms codes?")
  const early = await talk.say("why passkeys and no sms codes?")
  expect(early.items.some(({ reason }) => reason.startsWith("words"))).toBe(false)
  release()
  // The index is asked in turn: this comes after the one that was held.
  await warmMemIndex(slow.store)
  expect(reasonOf(await talk.say("ok"), mem.id)).toMatch(/^words: .*passkeys/)
})
