import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { workInCrowd } from "./crowd.ts"
import { damageFiles } from "./damage.ts"
import { failEachCall } from "./failures.ts"
import { deleteHive, jumpClocks } from "./jumps.ts"
import { killBeforeEachCall } from "./kills.ts"
import { everyCall, fewCalls, inLanes, type Lab } from "./lab.ts"
import { leaveLocks, meetNewerFormat } from "./leftovers.ts"
import { cutPower } from "./power.ts"
import { readBesideFolds } from "./readers.ts"
import { damageRefs, raceSyncs } from "./refs.ts"
import { stopBeforeEachCall } from "./stops.ts"
import { killDuringSync } from "./sync-kills.ts"
import { addTry, newRow, type Row } from "./table.ts"

interface Family {
  /** Every step. */
  long: (lab: Lab) => Promise<Row[]>
  /** The same with coarser steps, for every day. */
  short: (lab: Lab) => Promise<Row[]>
}

export const families: Readonly<Record<string, Family>> = {
  kills: {
    long: (lab) => killBeforeEachCall(lab, everyCall),
    short: (lab) => killBeforeEachCall(lab, fewCalls(8)),
  },
  stops: {
    long: (lab) => stopBeforeEachCall(lab, everyCall, 4),
    short: (lab) => stopBeforeEachCall(lab, fewCalls(16), 1),
  },
  failures: { long: (lab) => failEachCall(lab, false, 3), short: (lab) => failEachCall(lab, true, 1) },
  power: {
    long: (lab) => cutPower(lab, { cuts: 40, states: 3, lanes: 8 }),
    short: (lab) => cutPower(lab, { cuts: 1, states: 1, lanes: 1, isSample: true }),
  },
  clock: { long: (lab) => jumpClocks(lab, 400), short: (lab) => jumpClocks(lab, 20) },
  deleted: { long: (lab) => deleteHive(lab, 10), short: (lab) => deleteHive(lab, 1) },
  sync: { long: (lab) => killDuringSync(lab, 1), short: (lab) => killDuringSync(lab, 40) },
  damage: { long: () => damageInBatches(10_000), short: async () => [await damageFiles(0, 150)] },
  readers: { long: (lab) => readBesideFolds(lab, 100), short: (lab) => readBesideFolds(lab, 6) },
  locks: { long: (lab) => leaveLocks(lab, 5), short: (lab) => leaveLocks(lab, 1) },
  format: { long: (lab) => meetNewerFormat(lab, 10), short: (lab) => meetNewerFormat(lab, 1) },
  races: { long: (lab) => raceSyncs(lab, 100), short: (lab) => raceSyncs(lab, 4) },
  refs: { long: (lab) => damageRefs(lab, false), short: (lab) => damageRefs(lab, true) },
  crowd: { long: (lab) => workInCrowd(lab, 8, 500), short: (lab) => workInCrowd(lab, 4, 60) },
}

/** A process for every few hundred: one that hangs, or takes more and more memory, is ended and told. */
async function damageInBatches(count: number): Promise<Row[]> {
  const starts = Array.from({ length: count / BATCH }, (_, n) => n * BATCH)
  let all: Row | undefined
  await inLanes([1, 2], starts, async (_lane, start) => {
    const { wrong, ...row } = await damageBatch(start)
    all ??= newRow(row.fault)
    addTry(all, { ...row, wrong }, "damage")
  })
  return all === undefined ? [] : [all]
}

function damageBatch(start: number): Promise<Row> {
  const args = ["--max-old-space-size=300", "--import", "tsx", script, String(start), String(BATCH)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const hung = setTimeout(() => child.kill("SIGKILL"), BATCH_MS)
  let out = ""
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
  })
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(hung)
      const ended = `${start} to ${start + BATCH} ended with ${code ?? signal}`
      resolve(code === 0 ? (JSON.parse(out) as Row) : { ...newRow("damage"), wrong: [ended] })
    })
  })
}

const BATCH = 500
// Far beyond what a busy machine needs: this ends a process that hangs.
const BATCH_MS = 20 * 60_000
const script = fileURLToPath(new URL("./damage-batch.ts", import.meta.url))
