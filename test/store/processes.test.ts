import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { newestManifest } from "../../src/store/snapshot/manifest.ts"
import type { Store } from "../../src/store/store.ts"
import { findBun } from "../support/bun.ts"
import { trials } from "../support/effort.ts"
import { tempProject } from "../support/temp-project.ts"

// Real processes on the built code (npm test builds first): this is about what the operating system does to files.
const writerScript = fileURLToPath(new URL("../support/record-writer.mjs", import.meta.url))
const bun = findBun()
const FOLD_OFTEN = 8000
const KILLS = trials(10, 200)
const WRITES = trials(100, 250)

describe("several processes", () => {
  it(`4 processes × ${WRITES} writes, Node and Bun mixed: none lost, none rejected`, async () => {
    const project = await tempProject()
    const writers = [process.execPath, bun, process.execPath, bun].map((runtime) =>
      startWriter(runtime, project, WRITES),
    )
    await Promise.all(writers.map((writer) => writer.ended))
    await expectAllThere(openProject(project), writers)
    expect(writers.map((writer) => writer.acknowledged.length)).toEqual(Array(4).fill(WRITES))
  })

  it(`${KILLS} kills at random moments of writes and folds: all acknowledged writes there, none twice, all files readable`, async () => {
    const project = await tempProject()
    const writers: Writer[] = []
    let kills = 0
    const lane = async (runtime: string, random: () => number) => {
      while (kills < KILLS) {
        kills++
        const writer = startWriter(runtime, project, Number.POSITIVE_INFINITY, 3000)
        writers.push(writer)
        await writer.firstWrite
        await new Promise((resolve) => setTimeout(resolve, random() * 40))
        writer.process.kill("SIGKILL")
        await writer.ended
      }
    }
    await Promise.all([
      lane(process.execPath, randomFrom(1)),
      lane(bun, randomFrom(2)),
      lane(bun, randomFrom(3)),
    ])
    const store = openProject(project)
    await expectAllThere(store, writers)
    const graph = join(project, ".hivemind", "graph")
    const { manifest, unusable } = newestManifest(graph)
    expect(unusable).toEqual([])
    for (const { file } of manifest.parts)
      expect(() => JSON.parse(readFileSync(join(graph, "parts", file), "utf8"))).not.toThrow()
    const before = snapshot(store)
    await store.fold()
    await store.fold()
    expect(snapshot(openProject(project))).toEqual(before)
  })
})

interface Writer {
  process: ChildProcess
  acknowledged: string[]
  errors: () => string
  firstWrite: Promise<void>
  ended: Promise<void>
}

function startWriter(runtime: string, project: string, count: number, foldAfterBytes = FOLD_OFTEN): Writer {
  const child = spawn(runtime, [writerScript, project, String(count), String(foldAfterBytes)])
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  let out = ""
  let errors = ""
  const acknowledged: string[] = []
  let wrote: () => void
  const firstWrite = new Promise<void>((resolve) => {
    wrote = resolve
  })
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
    const lines = out.split("\n")
    out = lines.pop() ?? ""
    acknowledged.push(...lines)
    wrote()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => {
      wrote()
      resolve()
    })
  })
  return { process: child, acknowledged, errors: () => errors, firstWrite, ended }
}

function openProject(project: string): Store {
  const store = openFileStore(project, { source: systemSource })
  onTestFinished(() => store.close())
  return store
}

/**
 * Every acknowledged write is in the graph and was counted, no mem was counted twice, nothing was rejected, and the log
 * makes the same graph. A mem whose writer was killed before it could be acknowledged may not be counted.
 */
async function expectAllThere(store: Store, writers: Writer[]): Promise<void> {
  expect(writers.map((writer) => writer.errors()).join("")).toBe("")
  const { state, problems } = store.read()
  const missing = writers
    .flatMap((writer) => writer.acknowledged)
    .filter((line) => {
      const [kind, id] = line.split(" ")
      return id === undefined || !state[kind as "mem" | "plan"].has(id)
    })
  expect(missing).toEqual([])
  const acknowledged = writers.flatMap((writer) =>
    writer.acknowledged.filter((line) => line.startsWith("mem ")),
  )
  const counted = state.metrics.get("ses_shared")?.counts["writes"] ?? 0
  expect(counted).toBeGreaterThanOrEqual(acknowledged.length)
  expect(counted).toBeLessThanOrEqual(state.mem.size)
  expect(problems.filter(({ code }) => code !== "broken_line" && code !== "torn_line")).toEqual([])
  const log = await store.log()
  expect(new Set(log.map((entry) => entry.id)).size).toBe(log.length)
  const added = log.flatMap((entry) => entry.ops).filter((op) => op.op === "add")
  expect(added).toHaveLength(state.mem.size + state.plan.size)
  expect((await store.compareWithLog()).filter(({ code }) => code !== "torn_line")).toEqual([])
}

function snapshot(store: Store) {
  const { state } = store.read()
  const sorted = (ids: Iterable<string>) => [...ids].sort()
  return {
    mems: sorted(state.mem.keys()),
    plans: sorted(state.plan.keys()),
    metrics: [...state.metrics.values()],
  }
}

/** A small generator with a seed (mulberry32), so that a failing run can be repeated. */
function randomFrom(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
