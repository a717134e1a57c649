// A process that works on stores as it is told, a line of JSON per command, and answers each with a line. Commands run
// side by side: one that waits does not hold up the next. Runs the built code, with `inject.mjs` loaded before it.
import { createHash, randomUUID } from "node:crypto"
import { createInterface } from "node:readline"
import { commandQueue } from "../../../build/store/command-queue.js"
import { openFileStore } from "../../../build/store/file-store.js"
import { hivePaths } from "../../../build/store/files/layout.js"
import { syncHive } from "../../../build/sync/sync.js"

const by = { tool: "faults", session: null, agent: null }
const stores = new Map()
let isHalted = false

const commands = {
  /** `keeps`: no fold of this process moves mems to the archive. */
  open({ dir, foldAfterBytes = 1 << 30, keeps = false }) {
    const background = []
    const store = openFileStore(dir, {
      source: { now: () => Date.now() + clockShift, newId: randomUUID },
      leaving: (state) =>
        keeps ? [] : [...state.mem.values()].filter(({ status }) => status === "superseded"),
      foldAfterBytes,
      onBackgroundError: (error) => background.push(describe(error)),
    })
    stores.set(dir, { store, background })
  },
  async close({ dir }) {
    await stores.get(dir)?.store.close()
    stores.delete(dir)
  },
  /** A mem without the lock. */
  async append({ dir, id = randomUUID() }) {
    const { entry } = await storeOf(dir).append(by, (tx) => {
      tx.add("mem", mem(id))
      tx.count("ses_1", "mems")
    })
    return { what: "mem", id, entry: entry.id }
  },
  /** A plan, under the lock. */
  async plan({ dir, id = randomUUID() }) {
    const { entry } = await storeOf(dir).write(by, (tx) => tx.add("plan", plan(id, "a plan")))
    return { what: "plan", id, entry: entry.id }
  },
  /** Reads a number and writes the next one: a write on an old state repeats a number. */
  async bump({ dir, id = COUNTER }) {
    const { entry, result } = await storeOf(dir).write(by, (tx) => {
      const value = Number(tx.get("plan", id)?.title ?? 0) + 1
      if (value === 1) tx.add("plan", plan(id, "1"))
      else tx.set("plan", id, { title: String(value) })
      return value
    })
    return { what: "bump", id, value: result, entry: entry.id }
  },
  /** From the next fold on this mem is in the archive. */
  async supersede({ dir, id }) {
    const { entry } = await storeOf(dir).write(by, (tx) => tx.set("mem", id, { status: "superseded" }))
    return { what: "superseded", id, entry: entry.id }
  },
  async undo({ dir, entry, id }) {
    globalThis.recordEvent?.({ do: "undoing", id })
    const undoing = await storeOf(dir).undo(entry, by)
    return { what: "undone", id, entry: undoing.id }
  },
  async fold({ dir }) {
    const count = countedMems(dir)
    const report = await storeOf(dir).fold()
    globalThis.recordEvent?.({ do: "counted", count })
    return report
  },
  sync: ({ dir }) => syncHive({ store: storeOf(dir), dir, remote: "origin", mayBegin: async () => true }),
  /** A command for whichever process drains the queue. */
  async queue({ dir, id = randomUUID() }) {
    const command = { do: "save_mem", content: "A mem that waits in the queue." }
    await commandQueue(hivePaths(dir)).add({ id, at: new Date().toISOString(), from: "faults", command })
    return { what: "queued", id }
  },
  shortenQueue: ({ dir }) => commandQueue(hivePaths(dir)).shorten(),
  queued: ({ dir }) => [...commandQueue(hivePaths(dir)).read().waiting.keys()],
  async setMark({ dir, entry }) {
    globalThis.recordEvent?.({ do: "marking", entry })
    await storeOf(dir).setSyncMark({ clone: "faults", entry, own: entry, merged: null })
  },
  mark: ({ dir }) => storeOf(dir).syncMark()?.entry,
  log: async ({ dir, part }) => (await storeOf(dir).log(part)).map(({ id }) => id),
  async asOf({ dir, time }) {
    const state = await storeOf(dir).asOf(time)
    return { mems: [...state.mem.keys()], plans: [...state.plan.keys()] }
  },
  compare: ({ dir }) => storeOf(dir).compareWithLog(),
  health: ({ dir }) => storeOf(dir).health(),
  /** Every record with a checksum, what was counted, and what is wrong. */
  graph({ dir, archived = [] }) {
    const { store, background } = stores.get(dir)
    const { state, problems } = store.read()
    const records = {}
    for (const [kind, map] of Object.entries(state)) {
      if (kind !== "metrics") for (const [id, record] of map) records[`${kind} ${id}`] = sumOf(record)
    }
    for (const id of archived) {
      const found = store.archive.get(id)
      if (found !== undefined) records[`archived ${id}`] = sumOf(found)
    }
    return {
      records,
      counter: Number(state.plan.get(COUNTER)?.title ?? 0),
      counted: countedMems(dir),
      problems,
      background,
    }
  },
  /** Shifts the clock of this process. */
  clock({ shift }) {
    clockShift = shift
  },
  arm: ({ fault }) => globalThis.faults.arm(fault),
  disarm: () => globalThis.faults.disarm(),
  /** Arms a fault, runs another command, and tells which calls it made. */
  async struck({ fault, command }) {
    globalThis.faults.arm(fault)
    try {
      const value = await commands[command.do](command)
      return { value, calls: globalThis.faults.disarm() }
    } catch (error) {
      return { error: describe(error), calls: globalThis.faults.disarm() }
    }
  },
  /** Mixed operations one after another, each told as it is acknowledged, until so many are done or `halt`. */
  async work({ dir, count, seed, pauseMs = 0 }) {
    const random = randomFrom(seed)
    isHalted = false
    const mems = []
    let done = 0
    for (; done < count && !isHalted; done++) {
      const chance = random()
      try {
        if (chance < 0.55 || mems.length === 0) {
          const mem = await commands.append({ dir })
          mems.push(mem.id)
          tell(mem)
        } else if (chance < 0.75) tell(await commands.bump({ dir }))
        else if (chance < 0.82) tell(await commands.plan({ dir }))
        else if (chance < 0.88) {
          const plan = await commands.plan({ dir })
          tell(plan)
          tell(await commands.undo({ dir, ...plan }))
        } else if (chance < 0.94) tell(await commands.supersede({ dir, id: mems.shift() }))
        else await commands.fold({ dir })
      } catch (error) {
        send({ event: "refused", error: describe(error) })
      }
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    return done
  },
  halt() {
    isHalted = true
  },
}

let clockShift = 0
const COUNTER = "00000000-0000-4000-8000-000000000001"

send({ event: "ready" })
for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...command } = JSON.parse(line)
  Promise.resolve()
    .then(() => commands[command.do](command))
    .then(
      (value) => {
        noteAcknowledged(value)
        send({ ask, value })
      },
      (error) => send({ ask, error: describe(error) }),
    )
}

// Whoever started this process is gone.
process.exit()

function storeOf(dir) {
  return stores.get(dir).store
}

/** How many mems were counted: a crash may lose the last counts, not those of the last fold. */
function countedMems(dir) {
  return [...storeOf(dir).read().state.metrics.values()].reduce(
    (sum, { counts }) => sum + (counts.mems ?? 0),
    0,
  )
}

function noteAcknowledged(value) {
  if (value?.what !== undefined) globalThis.recordEvent?.({ do: "acknowledged", acknowledged: value })
}

function tell(acknowledged) {
  noteAcknowledged(acknowledged)
  send({ event: "acknowledged", acknowledged })
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function describe(error) {
  const { name, message, code, what, why, evidence, stack } = error
  return { name, message, code, what, why, evidence, stack }
}

function sumOf(record) {
  const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash("sha1").update(JSON.stringify(sorted)).digest("hex").slice(0, 12)
}

function made() {
  const at = new Date(Date.now() + clockShift).toISOString()
  return { created_at: at, updated_at: at, stamp: "301411022026" }
}

function plan(id, title) {
  return {
    id,
    title,
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "draft",
    reason: null,
    completed_at: null,
    summary: null,
    ...made(),
  }
}

function mem(id) {
  return {
    id,
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    origin: "saved",
    kind: "insight",
    status: "active",
    content: `Written by ${process.pid}. ${"Words to make it longer. ".repeat(4)}`,
    tags: [],
    evidence: [],
    confidence: 1,
    resolved: null,
    supersedes: null,
    related_to: [],
    reason: null,
    stale_at: null,
    ...made(),
  }
}

/** A small generator with a seed (mulberry32), so that a failing run can be repeated. */
function randomFrom(seed) {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
