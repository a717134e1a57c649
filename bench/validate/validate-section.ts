import { cp } from "node:fs/promises"
import { copyPlugin } from "../../test/live/bed/plugin-copy.ts"
import { REPOSITORY } from "../../test/live/bed/scratch.ts"
import { findBun } from "../../test/support/bun.ts"
import { runProbe } from "../child.ts"
import { count, figure, ms, p50 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { addDocuments } from "./documents.ts"
import { type Asking, askingHost } from "./first-request.ts"

/** What the validation at a session's start costs the first answer: it should be nothing. */
export const validateSection: Section = { name: "validate", title: "Validation at a session's start", run }

async function run(bench: Bench): Promise<Findings> {
  const project = bench.folder()
  await cp(await bench.filledProject(bench.barSize), project, { recursive: true })
  await addDocuments(project, DOCUMENTS)
  const off = bench.folder()
  copyPlugin(
    off,
    /function createValidation\([^)]*\)\{/,
    "function createValidation() { return async () => []; ",
  )
  const asked = await inPairs(bench, "whole", ROUNDS, await askers(project, off))
  const hooks = await inPairs(bench, "hooks", HOOK_ROUNDS, {
    off: { ask: () => hookTime(off, project), close: async () => {} },
    on: { ask: () => hookTime(REPOSITORY, project), close: async () => {} },
  })
  const row = (name: string, of: Pairs) => [name, ms(of.off_ms), ms(of.on_ms), `${figure(of.ratio)} ×`]
  const bar = (what: string, of: Pairs) => ({ what, value: of.ratio, unit: "×", atMost: 1.1 })
  return {
    table: {
      head: ["from a new session to the first request, p50", "validation off", "on", "ratio"],
      rows: [row("all of it, OpenCode's own share included", asked), row("the plugin's hooks alone", hooks)],
    },
    bars: [bar("first request with validation", asked), bar("hooks before it with validation", hooks)],
    notes: [
      `${count(bench.barSize)} mems and ${DOCUMENTS} registered documents; each time a fresh process, so that the graph is loaded and every document is read.`,
      "Ratios pair by pair. The validation runs beside the hooks, one document at a time.",
    ],
    figures: { first_request: { ...asked }, hooks: { ...hooks } },
  }
}

interface Pairs {
  pairs: number
  off_ms: number
  on_ms: number
  ratio: number
}

async function askers(project: string, off: string): Promise<Record<"off" | "on", Asking>> {
  const without = await askingHost(project, off)
  try {
    return { off: without, on: await askingHost(project) }
  } catch (error) {
    await without.close()
    throw error
  }
}

function hookTime(plugin: string, project: string): Promise<number> {
  return runProbe<number>(findBun(), new URL("./hooks-probe.mjs", import.meta.url), [plugin, project])
}

/** Pair by pair, by turns the one first, then the other: what the machine does besides changes from minute to minute. */
async function inPairs(
  bench: Bench,
  what: string,
  count: number,
  { off, on }: Record<"off" | "on", Asking>,
): Promise<Pairs> {
  const rounds = bench.rounds(count)
  const found: { off: number; on: number }[] = []
  try {
    for (let round = 1; round <= rounds; round++) {
      bench.progress(`${what}, ${round} of ${rounds}, without and with`)
      const early = round % 2 === 0 ? await on.ask() : undefined
      const base = await off.ask()
      found.push({ off: base, on: early ?? (await on.ask()) })
    }
  } finally {
    await off.close()
    await on.close()
  }
  return {
    pairs: found.length,
    off_ms: p50(found.map((pair) => pair.off)),
    on_ms: p50(found.map((pair) => pair.on)),
    ratio: p50(found.map((pair) => pair.on / pair.off)),
  }
}

const DOCUMENTS = 200
const ROUNDS = 11
const HOOK_ROUNDS = 25
