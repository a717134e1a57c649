import { closeSync, cpSync, mkdirSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What it costs to take over an old `mems.json`, however large it is. */
export const migrateSection: Section = { name: "migrate", title: "Migration of an old mems.json", run }

async function run(bench: Bench): Promise<Findings> {
  const sizes = bench.isQuick ? [1, 3] : [1, 10, 50]
  const measured: [number, Measured][] = []
  for (const size of sizes) {
    bench.progress(`${size} MB`)
    const dir = bench.folder()
    writeMems(dir, size)
    measured.push([size, await runProbe<Measured>(process.execPath, PROBE, [dir])])
  }
  const [middle, largest] = [measured.at(-2)?.[1], measured.at(-1)?.[1]]
  const turns = await firstTurns(bench, sizes.at(-1) ?? 1)
  return {
    table: {
      head: ["file", "mems", "time", "processor", "per mem", "longest block", "memory", "progress told"],
      rows: measured.map(([size, { ms: took, processor_ms, busiest, taken, memory_mb, progress }]) => [
        `${size} MB`,
        count(taken),
        ms(took),
        ms(processor_ms),
        ms(processor_ms / taken),
        ms(busiest),
        `${memory_mb.toFixed(0)} MB`,
        `${count(progress)} times`,
      ]),
    },
    bars: [
      {
        what: "event loop held at once while the largest is taken over",
        value: largest?.busiest,
        unit: "ms",
        atMost: 20,
      },
      {
        what: "memory for five times as many mems",
        value: (largest?.memory_mb ?? 0) / (middle?.memory_mb ?? 1),
        unit: "×",
        atMost: 3.5,
      },
      {
        what: "processor time for a mem, with five times as many",
        value:
          (largest?.processor_ms ?? 0) /
          (largest?.taken ?? 1) /
          ((middle?.processor_ms ?? 1) / (middle?.taken ?? 1)),
        unit: "×",
        atMost: 2,
      },
      {
        what: "first turn while the largest is taken over, beside one with a few old mems",
        value: turns.large.turn_ms / turns.few.turn_ms,
        unit: "×",
        atMost: 1.5,
      },
      {
        what: "event loop held at once in that turn, a recall after it and until all is taken over",
        value: turns.large.busiest,
        unit: "ms",
        atMost: 25,
      },
    ],
    notes: [
      `First turn: the hive is opened, the migration begun, the block compiled with the old anchors and the active task: ${ms(turns.large.turn_ms)}, with a few old mems ${ms(turns.few.turn_ms)}. A recall right after it: ${ms(turns.large.recall_ms)}.`,
      "In a fresh process, each mem checked, masked, written to the log with fsync and folded. Longest block: processor time in one go. Memory: the most above what the process had before; up to 20,000 mems stay in memory, the others go to the archive.",
    ],
    figures: {
      ...Object.fromEntries(measured.map(([size, figures]) => [`${size} MB`, { ...figures }])),
      "first turn": figuresOf(turns.large),
      "first turn, few mems": figuresOf(turns.few),
    },
  }
}

/** The best of some rounds: what else the machine does makes it slower, never faster. */
async function firstTurns(bench: Bench, megabytes: number): Promise<Record<"large" | "few", FirstTurn>> {
  const best = async (size: number): Promise<FirstTurn> => {
    const found: FirstTurn[] = []
    for (let round = 0; round < bench.rounds(3); round++) {
      bench.progress(`first turn, ${size} MB`)
      const dir = bench.folder()
      writeMems(dir, size)
      cpSync(FIXTURE, join(dir, ".hivemind"), {
        recursive: true,
        filter: (path) => !path.endsWith("mems.json"),
      })
      found.push(await runProbe<FirstTurn>(process.execPath, TURN_PROBE, [dir, "Thing 77"]))
    }
    if (found.some(({ isShown }) => !isShown)) throw new Error("the first turn does not show the old files")
    const least = (name: "turn_ms" | "busiest" | "recall_ms") => Math.min(...found.map((each) => each[name]))
    return {
      isShown: true,
      turn_ms: least("turn_ms"),
      busiest: least("busiest"),
      recall_ms: least("recall_ms"),
    }
  }
  return { few: await best(0.05), large: await best(megabytes) }
}

function figuresOf({ turn_ms, busiest, recall_ms }: FirstTurn) {
  return { turn_ms, busiest, recall_ms }
}

interface FirstTurn {
  turn_ms: number
  busiest: number
  recall_ms: number
  isShown: boolean
}

interface Measured {
  ms: number
  processor_ms: number
  /** The most processor time in one go. */
  busiest: number
  taken: number
  progress: number
  memory_mb: number
}

/** Mems of some hundred characters, as sessions leave them. */
function writeMems(dir: string, megabytes: number): void {
  mkdirSync(join(dir, ".hivemind"), { recursive: true })
  const fd = openSync(join(dir, ".hivemind/mems.json"), "w")
  let bytes = writeSync(fd, '{"mems":[')
  for (let n = 0; bytes < megabytes * 2 ** 20; n++) {
    const words = Array.from({ length: 60 }, (_, at) => WORDS[(n * 31 + at * at) % WORDS.length]).join(" ")
    const mem = {
      ...{ id: `mem_${n}`, shelf: SHELVES[n % SHELVES.length], content: `Thing ${n}: ${words}` },
      ...{
        tags: [`tag-${n % 50}`],
        session_id: `session-${n % 200}`,
        created_at: 1_794_712_215_542 + n * 1000,
      },
    }
    bytes += writeSync(fd, `${n === 0 ? "" : ","}${JSON.stringify(mem)}`)
  }
  writeSync(fd, '],"version":"1.0.0"}')
  closeSync(fd)
}

const WORDS =
  "cache token order retry queue login schema index batch worker price stock parser limit route".split(" ")
const SHELVES = ["decisions", "patterns", "errors", "solutions", "context"]
const PROBE = new URL("./migrate-probe.mjs", import.meta.url)
const TURN_PROBE = new URL("./first-turn-probe.mjs", import.meta.url)
const FIXTURE = new URL("../../test/fixtures/legacy/g1/hivemind", import.meta.url)
