import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { type NewRecordOf, recordSchemas } from "../../schemas/records.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { openMemoryStore } from "../../store/memory-store.ts"
import { readMigrations } from "../../store/migrations.ts"
import type { UnlandedMem } from "../../store/store.ts"
import type { Found, Taken } from "../found.ts"
import { landFound } from "../land.ts"
import type { InGraph } from "../older/known.ts"
import { STEPS } from "../older/layout.ts"
import type { OldFile } from "../older/old-file.ts"
import { readFiles } from "../older/read-files.ts"
import { anchorIn } from "../take-over/made-earlier.ts"
import { graphBefore, MIGRATE } from "../take-over/migrate.ts"

type TakenFound = Extract<Found, { take: readonly Taken[] }>

/** What the files of older tools hold, as the records they will become. */
export interface OldGraph {
  /** Grows while they are read. */
  state: GraphState
  /** Plans, tasks, anchors, sessions and where the work stood are read. Neither of these two rejects. */
  head: Promise<void>
  /** So is the rest, as far as it was wanted. */
  wanted: Promise<void>
  /** How many mems the files have; 0 where nobody has walked through them. */
  memCount: () => number
  /** Is each of them in `state`? */
  hasAllMems: () => boolean
  /** The mems of the files, one at a time. */
  mems: () => AsyncIterable<UnlandedMem>
  /** Stops reading. */
  stop: () => void
}

/**
 * Reads old files by the same steps that take them over, into memory. `maxMems`: of more, the newest are kept; `"unread"`: their
 * files are left alone. In slices, and never throws: what cannot be used, the migration tells.
 */
export function readOldGraph(hive: Hive, files: readonly OldFile[], maxMems: number | "unread"): OldGraph {
  const store = openMemoryStore(hive.source)
  const { state } = store.read()
  let memCount = 0
  let hasAllMems = false
  const hasArchive = hive.store.archive.size() > 0
  const isArchived = (id: string) => hasArchive && hive.store.archive.has(id)
  let isStopped = false
  let inGraph: Promise<InGraph> | undefined
  const isLate = ({ step }: OldFile) => step >= STEPS.indexOf("mems")

  async function* founds(wanted: readonly OldFile[], onFile: (file: OldFile) => void = () => {}) {
    inGraph ??= graphFor(hive)
    for await (const found of readFiles(hive.home, wanted, onFile, await inGraph)) {
      if (isStopped) return
      await runInSlices(aMoment())
      yield found
    }
  }

  async function* lateFounds(): AsyncGenerator<TakenFound, void, void> {
    let isReadingLate = false
    const onFile = (file: OldFile) => {
      isReadingLate = isLate(file)
    }
    // The others too: what they hold decides what becomes of these.
    for await (const found of founds(files, onFile)) if (isReadingLate && "take" in found) yield found
  }

  function land(found: AsyncIterable<Found>): Promise<unknown> {
    const into = { store, atOnce: BATCH_RECORDS }
    return landFound({ ...hive, store }, found, { by: MIGRATE, dryRun: true, into })
  }

  async function* late(max: number): AsyncGenerator<Found, void, void> {
    let isCut = false
    const mems: TakenFound[] = []
    const byAge = (a: TakenFound, b: TakenFound) => (createdOf(a) < createdOf(b) ? 1 : -1)
    for await (const found of lateFounds()) {
      const isMem = found.take.every(({ kind }) => kind === "mem")
      if (!isMem) yield found
      else if (!found.take.some(({ record }) => isArchived(record.id))) mems.push(found)
      if (isMem) memCount += found.take.length
      if (mems.length >= 2 * max) cut()
    }
    if (mems.length > max) cut()
    yield* mems
    hasAllMems = !isCut

    function cut(): void {
      mems.sort(byAge).splice(max)
      isCut = true
    }
  }

  const head = land(founds(files.filter((file) => !isLate(file)))).then(done, done)
  const wanted = maxMems === "unread" ? head : head.then(() => land(late(maxMems))).then(done, done)

  return {
    state,
    head,
    wanted,
    memCount: () => memCount,
    hasAllMems: () => hasAllMems,
    async *mems() {
      for await (const { take } of lateFounds())
        for (const taken of take) if (taken.kind === "mem") yield unlanded(taken.record)
    },
    stop() {
      isStopped = true
    },
  }
}

/** What was taken over before decides what becomes of the rest. Mostly nothing was, and the log need not be read. */
async function graphFor(hive: Hive): Promise<InGraph> {
  const none = () => undefined
  const anchor: InGraph["anchor"] = (id, key) => anchorIn(hive.store.read().state, id, key, new Set([id]))
  const noGraph: InGraph = { plan: none, phase: none, task: none, anchor, made: [] }
  if (!readMigrations(hive.home).some(({ state }) => state === "done")) return noGraph
  try {
    return (await graphBefore(hive, new Set())).inGraph
  } catch {
    return noGraph // The log cannot be read: some of what was changed since is shown as it was.
  }
}

function unlanded(record: NewRecordOf<"mem">): UnlandedMem {
  const { id, content, tags, kind, created_at } = record
  const checked = () => recordSchemas.mem.safeParse({ branch: null, ...maskAll(record) }).data
  return { id, content, tags, kind, created_at, checked }
}

function createdOf({ take: [first] }: TakenFound): string {
  return first?.kind === "mem" ? first.record.created_at : ""
}

/** Of whoever holds the event loop for more than a slice. */
function* aMoment(): Pausing<void> {
  yield
}

function done(): void {}

// The first records that a process checks take ten times as long.
const BATCH_RECORDS = 8
