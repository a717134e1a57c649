import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Injection } from "../../src/context/inject/record.ts"
import { notePressure } from "../../src/graph/pressure.ts"
import { headOf, sessionIdOf, sessionOf } from "../../src/graph/read-head.ts"
import { identityText, thisProcess } from "../../src/shared/process-identity.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { sessionSplits } from "../../src/turns/split.ts"
import type { Conversations } from "../../src/turns/split-attempt.ts"
import { updateSession } from "../../src/work/focus/update.ts"
import { continueIn } from "../../src/work/session/session.ts"
import { memoryHive } from "../support/hive.ts"
import { tempProject } from "../support/temp-project.ts"

const over = { ...thisProcess, pid: spawnSync(process.execPath, ["--version"]).pid, token: "x" }
const FULL = { input: 82_000, cache_write: 0, cache_read: 0, output: 0, reasoning: 0 }
const told = { parts: ["<hivemind/>"] } as unknown as Injection
const caller = { session: "ses_old", agent: "build", tool: "test" }

/** A session at work whose window is full, and a host that makes sessions; a step of it can be held up or fail. */
async function scene(host: Partial<Conversations> = {}) {
  const hive = { ...memoryHive({ split: "auto" }), home: await tempProject() }
  await updateSession(hive, caller, { level: "action", content: "Take payments" })
  await hive.store.append({ ...caller, session: "ses_old" }, (tx) =>
    notePressure(tx, "ses_old", FULL, 100_000),
  )
  const sessions = new Map<string, string>()
  const toasts: string[] = []
  const conversations: Conversations = {
    lastSpoken: async () => [{ role: "user", text: "Go on", did: [] }],
    makeNext: async () => {
      sessions.set("ses_new", "")
      return "ses_new"
    },
    removeUnused: async (session) => void sessions.delete(session),
    leave: async (session, _, hidden) => {
      sessions.set(session, hidden)
      return "msg_1"
    },
    show: async () => {},
    ...host,
  }
  const splits = sessionSplits({
    hive: async () => hive,
    conversations,
    toast: async (message) => void toasts.push(message),
    log: () => {},
    keyframe: () => told,
    noteTold: () => {},
  })
  /** Calls this once, when the split is about to be recorded. */
  const whileRecorded = (job: () => void) => {
    const write = hive.store.write.bind(hive.store)
    hive.store.write = (author, build) => {
      if (author.tool === "split") {
        hive.store.write = write
        job()
      }
      return write(author, build)
    }
  }
  const outcome = () => ({
    next: sessionOf(hive.store.read().state, "ses_old")?.continued_in ?? null,
    left: [...sessions.keys()],
    isAtWork: (headOf(hive.store.read().state, "ses_old")?.active_task_ids.length ?? 0) > 0,
  })
  return { hive, splits, whileRecorded, outcome, toasts, sessions }
}

const SPLIT = { next: "ses_new", left: ["ses_new"], isAtWork: false }
const UNHARMED = { next: null, left: [], isAtWork: true }

it("splits once and moves the work; a user who closes the new session stays in the old one", async () => {
  const { hive, splits, outcome, sessions } = await scene()
  await Promise.all([splits.afterTurn("ses_old"), splits.afterTurn("ses_old")])
  expect(outcome()).toEqual(SPLIT)
  expect(sessions.get("ses_new")).toContain("Go on")
  await hive.store.write(caller, (tx) => tx.set("session", sessionIdOf("ses_new"), { status: "closed" }))
  sessions.clear()
  await splits.afterTurn("ses_old")
  expect(outcome().left).toEqual([])
})

it("tells a user who goes on in the old session where the work went, once", async () => {
  const { splits, toasts } = await scene()
  await splits.afterTurn("ses_old")
  for (const _ of [1, 2]) splits.onUserMessage("ses_old")
  await expect.poll(() => toasts.filter((toast) => toast.includes("continues in ses_new"))).toHaveLength(1)
})

it("gives way to a compaction or a message before it is recorded", async () => {
  for (const comes of ["compaction", "message"] as const) {
    const made = await scene({
      leave: async () => {
        if (comes === "compaction") void made.splits.isBeforeCompaction("ses_old")
        else made.splits.onUserMessage("ses_old")
        return "msg_1"
      },
    })
    await made.splits.afterTurn("ses_old")
    expect(made.outcome()).toEqual(UNHARMED)
    expect(existsSync(hivePaths(made.hive.home).splits)).toBe(false)
  }
})

it("a compaction waits while the split is recorded, and is stopped", async () => {
  const { splits, whileRecorded, outcome } = await scene()
  let compaction: Promise<boolean> | undefined
  whileRecorded(() => {
    compaction = splits.isBeforeCompaction("ses_old")
  })
  await splits.afterTurn("ses_old")
  expect(await compaction).toBe(true)
  expect(outcome()).toEqual(SPLIT)
})

it("waits for the end of a compaction", async () => {
  const { splits, outcome } = await scene()
  expect(await splits.isBeforeCompaction("ses_old")).toBe(false)
  await splits.afterTurn("ses_old")
  expect(outcome()).toEqual(UNHARMED)
  splits.onIdle("ses_old")
  await splits.afterTurn("ses_old")
  expect(outcome()).toEqual(SPLIT)
})

it("leaves the old session unchanged whichever step of the host fails", async () => {
  const fails = async () => {
    throw new Error("the host is out of order")
  }
  for (const step of ["lastSpoken", "makeNext", "leave"] as const) {
    const { splits, outcome, toasts } = await scene({ [step]: fails })
    await splits.afterTurn("ses_old")
    expect(outcome()).toEqual(UNHARMED)
    expect(toasts.at(-1)).toContain("stays as it is")
  }
  const unseen = await scene({ show: fails })
  await unseen.splits.afterTurn("ses_old")
  expect(unseen.outcome()).toEqual(SPLIT)
})

it("a hanging host blocks no compaction; after a split none follows until a user speaks", async () => {
  const hung = await scene({ leave: () => new Promise(() => {}) })
  void hung.splits.afterTurn("ses_old")
  await expect.poll(() => hung.splits.isMaking("ses_new")).toBe(true)
  expect(await hung.splits.isBeforeCompaction("ses_old")).toBe(false)
  const { splits } = await scene()
  await splits.afterTurn("ses_old")
  expect(await splits.isBeforeCompaction("ses_old")).toBe(true)
  splits.onUserMessage("ses_old")
  expect(await splits.isBeforeCompaction("ses_old")).toBe(false)
})

it("a user who writes during a split is told in which session the work continues", async () => {
  const { splits, whileRecorded, outcome, toasts } = await scene()
  let compaction: Promise<boolean> | undefined
  whileRecorded(() => {
    splits.onUserMessage("ses_old")
    compaction = splits.isBeforeCompaction("ses_old")
  })
  await splits.afterTurn("ses_old")
  expect(outcome()).toEqual(SPLIT)
  await expect.poll(() => toasts.filter((toast) => toast.includes("continues in ses_new"))).toHaveLength(1)
  expect([await compaction, await splits.isBeforeCompaction("ses_old")]).toEqual([false, false])
})

it("keeps the new session of a failed split if the user wrote in it", async () => {
  const made = await scene({
    leave: async () => {
      made.splits.onUserMessage("ses_new")
      throw new Error("the host is out of order")
    },
  })
  await made.splits.afterTurn("ses_old")
  expect(made.outcome()).toEqual({ ...UNHARMED, left: ["ses_new"] })
})

it("archives the session file; without room for it nothing moves", async () => {
  const whole = await scene()
  await whole.splits.afterTurn("ses_old")
  const { splits: folder } = hivePaths(whole.hive.home)
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\d+\.md$/)])
  expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8")).toContain("Go on")

  const blocked = await scene()
  mkdirSync(join(hivePaths(blocked.hive.home).splits, ".."), { recursive: true })
  writeFileSync(hivePaths(blocked.hive.home).splits, "a file where a folder should be")
  await blocked.splits.afterTurn("ses_old")
  expect(blocked.outcome()).toEqual(UNHARMED)
  expect(blocked.toasts.at(-1)).toContain("stays as it is")
})

describe("after a crash during a split", () => {
  async function crashed() {
    const made = await scene()
    made.sessions.set("ses_new", "")
    const note = `${identityText(over)} ${made.hive.source.now()} ses_new`
    await made.hive.store.append(caller, (tx) => tx.register("ses_old", "split_begun", note))
    const isNoted = () =>
      made.hive.store.read().state.metrics.get("ses_old")?.registers["split_begun"] !== undefined
    return { ...made, isNoted }
  }

  it("removes the new session", async () => {
    const { splits, outcome, isNoted } = await crashed()
    await splits.cleanUp()
    expect([outcome(), isNoted()]).toEqual([UNHARMED, false])
  })

  it.each(["speaks", "spoke elsewhere", "goes on"])("never removes a session in use: %s", async (use) => {
    const { splits, hive, sessions, isNoted } = await crashed()
    if (use === "speaks") splits.onUserMessage("ses_new")
    else if (use === "spoke elsewhere") await hive.store.append(caller, (tx) => tx.count("ses_new", "x", 1))
    else {
      const other = { ...caller, session: "ses_other" }
      await updateSession(hive, other, { level: "action", content: "Other work" })
      await continueIn(hive, other, "ses_new")
    }
    await splits.cleanUp()
    expect([[...sessions.keys()], isNoted()]).toEqual([["ses_new"], false])
  })
})

it.each<[string, Record<string, unknown>, toasts?: number]>([
  ["if off", { split: "off" }],
  ["but an offer, once, if it may only ask", { split: "ask" }, 1],
  ["below the threshold", { split_at: 0.9 }],
  ["for a subagent", {}],
  ["while the host is busy with the session", {}],
])("does nothing %s", async (what, config, expected = 0) => {
  const { hive, splits, outcome, toasts } = await scene()
  Object.assign(hive.config, config)
  if (what.includes("busy")) Object.assign(hive, { sessionState: async () => "busy" })
  if (what === "for a subagent")
    await hive.store.write(caller, (tx) =>
      tx.set("session", sessionIdOf("ses_old"), { parent_host_id: "ses_top" }),
    )
  for (const _ of [1, 2]) await splits.afterTurn("ses_old")
  expect([outcome(), toasts.length]).toEqual([UNHARMED, expected])
})
