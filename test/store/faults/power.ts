import { createHash, randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FOLD_OFTEN } from "./crowd.ts"
import { type DiskEvent, openDisk, writeTree } from "./disk.ts"
import { inLanes, type Lab, type StoreProcess } from "./lab.ts"
import { type Acknowledged, openLedger } from "./ledger.ts"
import { randomFrom } from "./random.ts"
import { type Seed, seedFolder } from "./seed.ts"
import { addTry, newRow, type Row } from "./table.ts"

interface Effort {
  /** Number of power cuts among the calls of an operation, and also among its acknowledged writes. */
  cuts: number
  /** How many random disk states are tried for each power cut. */
  states: number
  lanes: number
  /** True to try only every second operation, with fewer disk states. */
  isSample?: boolean
}

/** Simulates power cuts during recorded operations. Acknowledged writes must exist, and the store must work. */
export async function cutPower(lab: Lab, effort: Effort): Promise<Row[]> {
  const lanes = await Promise.all(Array.from({ length: effort.lanes }, lab.startTwo))
  const fresh = await lab.start()
  const seed = await seedFolder(lab, fresh)
  const rows: Row[] = []
  for (const operation of effort.isSample ? operations.filter((_, n) => n % 2 === 0) : operations) {
    const row = newRow(`power cut during ${operation.name}`)
    const recorded = await record(lab, seed, operation)
    await inLanes(lanes, statesAfterCuts(recorded, effort), async ([after, anew], state) => {
      const one = { ...newRow(row.fault), tries: 1 }
      const dir = lab.folder()
      writeTree(dir, state.tree)
      try {
        await judge(dir, state, recorded, after, anew, one)
      } catch (error) {
        one.wrong.push(`threw ${error instanceof Error ? error.stack : error}`)
      }
      addTry(row, one, state.where)
      lab.forget(dir)
    })
    rows.push(row)
  }
  return rows
}

interface Recorded {
  events: DiskEvent[]
  /** A copy of the folder before the first event, with the original inode numbers. */
  disk: ReturnType<typeof openDisk>
  before: readonly Acknowledged[]
  problems: readonly string[]
}

async function record(
  lab: Lab,
  seed: Seed,
  { isFirst = false, prepare, problems = [], run }: Operation,
): Promise<Recorded> {
  const dir = lab.folder(isFirst ? undefined : seed.dir)
  const before = prepare?.(dir) ?? []
  const disk = openDisk(dir)
  const recording = join(lab.folder(), "recording")
  const start = async () => {
    const process = await lab.start(recording)
    await process.run({ do: "open", dir, foldAfterBytes: FOLD_OFTEN })
    return process
  }
  const process = await start()
  await run((command, more = {}) => process.run({ do: command, dir, ...more }), { dir, process, start })
  process.signal("SIGKILL")
  await process.ended
  const events = readFileSync(recording, "utf8").trim().split("\n")
  return {
    events: events.map((line) => JSON.parse(line) as DiskEvent),
    disk,
    problems,
    before: isFirst ? before : seed.acknowledged,
  }
}

interface CutState {
  where: string
  tree: ReadonlyMap<string, Buffer | null>
  done: readonly DiskEvent[]
  isTorn: boolean
}

/** Yields the distinct states of the disk. Random choices have a fixed seed, so the states are the same in every run. */
function* statesAfterCuts(
  { events, disk }: Recorded,
  { cuts, states, isSample }: Effort,
): Generator<CutState> {
  const seen = new Set<string>()
  const acknowledged = events.filter((event) => event.do === "acknowledged")
  const chosen = new Set([...spread(events, cuts), ...spread(acknowledged, cuts)])
  for (const [n, event] of events.entries()) {
    disk.replay(event)
    if (!chosen.has(event)) continue
    // The state that keeps all changes is left out of a sample, because a killed process leaves the same one.
    const whole = isSample ? (["none"] as const) : (["none", "all"] as const)
    const ways = [...whole, ...Array.from({ length: states }, (_, way) => way)]
    for (const way of ways) {
      const tree = disk.afterPowerCut(typeof way === "number" ? randomFrom(n * 1000 + way) : way)
      const done = events.slice(0, n + 1)
      const hash = createHash("sha1").update(String(done.filter((each) => "acknowledged" in each).length))
      for (const [path, content] of tree) hash.update(`\n${path}\n`).update(content ?? "")
      const key = hash.digest("hex")
      if (seen.has(key)) continue
      seen.add(key)
      const where = `event ${n} (${"path" in event ? `${event.do} ${event.path}` : event.do}), kept: ${way}`
      yield { where, tree, done, isTorn: typeof way === "number" }
    }
  }
}

/** Returns this many of the items, evenly spread, with the last one. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, n) => Math.floor((items.length - 1 - n) % step) === 0)
}

async function judge(
  dir: string,
  { done, isTorn }: CutState,
  { before, problems }: Recorded,
  after: StoreProcess,
  anew: StoreProcess,
  row: Row,
): Promise<void> {
  const ledger = openLedger(before)
  const acknowledged = done.flatMap((each) => (each.do === "acknowledged" ? [each.acknowledged] : []))
  const undone = new Set(acknowledged.flatMap(({ what, id }) => (what === "undone" ? id : [])))
  const undoing = new Set(
    done.flatMap((each) => (each.do === "undoing" && !undone.has(each.id) ? each.id : [])),
  )
  const queued = acknowledged.flatMap(({ what, id }) => (what === "queued" ? id : []))
  // While a plan's undo is in progress, the plan may exist or not.
  for (const each of acknowledged) if (each.what !== "queued" && !undoing.has(each.id)) ledger.note(each)
  row.acknowledged = ledger.size() + queued.length
  // Only a line that was not fsynced can be torn.
  const expected = isTorn ? ["broken_line", "torn_line", ...problems] : problems
  await ledger.check(row, dir, [], anew, expected)

  await after.run({ do: "open", dir })
  const run = <T = unknown>(command: string, more: object = {}) => after.run<T>({ do: command, dir, ...more })
  const waiting = await run<string[]>("queued")
  row.lost.push(...queued.filter((id) => !waiting.includes(id)).map((id) => `the queued command ${id}`))
  const mark = await run<string | undefined>("mark")
  const marks = done.flatMap((each) => (each.do === "marking" ? each.entry : []))
  if (mark !== undefined && !marks.includes(mark)) row.wrong.push(`a sync mark that was never set: ${mark}`)
  const counts = done.flatMap((each) => (each.do === "counted" ? each.count : []))
  const { counted } = await run<{ counted: number }>("graph")
  if (counted < Math.max(0, ...counts))
    row.lost.push(`${counts.at(-1)} mems counted at a fold, now ${counted}`)

  for (const command of ["append", "bump"]) await ledger.write(after, { do: command, dir })
  const plan = await ledger.write(after, { do: "plan", dir })
  await run("fold")
  await ledger.write(after, { ...plan, do: "undo", dir })
  await run("queue")
  await run("asOf", { time: Date.now() })
  await ledger.check(row, dir, [after], anew, expected)
  await run("close")
}

type Run = <T = Acknowledged>(command: string, more?: object) => Promise<T>

interface Recording {
  dir: string
  process: StoreProcess
  start: () => Promise<StoreProcess>
}

interface Operation {
  name: string
  isFirst?: boolean
  /** Prepares the folder. Returns the acknowledged writes in it, if they differ from the seed's. */
  prepare?: (dir: string) => readonly Acknowledged[]
  /** Problems that the folder has before the power cut. */
  problems?: readonly string[]
  run: (run: Run, recording: Recording) => Promise<void>
}

const operations: Operation[] = [
  { name: "appends", run: (run) => inTurn(run, ["append", "append", "append"]) },
  { name: "ordered writes", run: (run) => inTurn(run, ["bump", "plan", "bump"]) },
  { name: "a fold", run: (run) => inTurn(run, ["append", "bump", "fold", "append", "bump"]) },
  {
    name: "folds that archive mems",
    async run(run) {
      for (let round = 0; round < 4; round++) {
        const { id } = await run("append")
        await run("supersede", { id })
        await inTurn(run, ["append", "fold", "append"])
      }
    },
  },
  {
    name: "undos",
    async run(run) {
      const plans = [await run("plan"), await run("plan")]
      await run("undo", plans[0])
      await run("fold")
      await run("undo", plans[1])
    },
  },
  { name: "the first append", isFirst: true, run: (run) => inTurn(run, ["append", "bump", "append"]) },
  { name: "the first ordered write", isFirst: true, run: (run) => inTurn(run, ["bump", "append", "fold"]) },
  { name: "queued commands", run: (run) => inTurn(run, ["queue", "queue"]) },
  {
    name: "a queue that is shortened",
    prepare: fillQueue,
    run: (run) => inTurn(run, ["queue", "shortenQueue", "queue"]),
  },
  {
    name: "sync marks",
    async run(run) {
      for (let n = 0; n < 3; n++) await run("setMark", { entry: (await run("append")).entry })
    },
  },
  {
    name: "a write after a killed write and a killed fold",
    async run(_run, { dir, process, start }) {
      for (const [victim, command] of [
        [process, "bump"],
        [await start(), "fold"],
      ] as const) {
        const fault = { at: 1, do: "kill", only: ["fdatasync"] }
        const struck = victim.run({ do: "struck", fault, command: { do: command, dir } })
        await Promise.race([struck.catch(() => {}), victim.ended])
      }
      const other = await start()
      for (const command of ["bump", "append"]) await other.run({ do: command, dir })
      other.signal("SIGKILL")
    },
  },
  { name: "mixed operations", run: async (run) => void (await run("work", { count: 60, seed: 7 })) },
]

async function inTurn(run: Run, commands: readonly string[]): Promise<void> {
  for (const command of commands) await run(command)
}

/** Fills the queue with finished commands, until it is shortened. */
function fillQueue(dir: string): Acknowledged[] {
  const at = new Date().toISOString()
  const lines = Array.from({ length: 310 }, () => {
    const id = randomUUID()
    const command = { do: "save_mem", content: "x".repeat(1700) }
    const outcome = { done: id, at, ok: true, entry: null }
    return `${JSON.stringify({ id, at, from: "faults", command })}\n${JSON.stringify(outcome)}\n`
  })
  writeFileSync(join(dir, ".hivemind", "system", "cmd_queue.jsonl"), lines.join(""))
  return []
}
