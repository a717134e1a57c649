import { fileURLToPath } from "node:url"
import { signalNames } from "../../src/schemas/signals.ts"
import { prefixFigures } from "../../test/live/bed/prefix.ts"
import type { ScratchOptions } from "../../test/live/bed/scratch.ts"
import { count, figure, mean } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { converse } from "./conversation.ts"

/** What the plugin does to the provider's prompt cache, measured on what the real OpenCode sends. */
export const cacheSection: Section = { name: "cache", title: "The prompt cache", run }

const pluginAt = (folder: string) => fileURLToPath(new URL(`./${folder}`, import.meta.url))

// Every pattern counts from the first time on, and none is ever quiet.
const allWarnings = {
  detection: {
    ...Object.fromEntries(signalNames.map((name) => [name, 1])),
    silence_hours: 1e-7,
    cooldown_minutes: 0,
  },
}

const contenders: { name: string; key: string; options: ScratchOptions }[] = [
  { name: "no plugin", key: "none", options: { plugin: false } },
  { name: "HiveMind", key: "hivemind", options: {} },
  { name: "HiveMind, every warning on", key: "warnings", options: { pluginOptions: allWarnings } },
  {
    name: "state rewritten into the last user message",
    key: "rewrite",
    options: { plugin: pluginAt("rewrite-plugin") },
  },
  { name: "state in the system prompt", key: "system", options: { plugin: pluginAt("system-plugin") } },
]

async function run(bench: Bench): Promise<Findings> {
  const turns = bench.isQuick ? 3 : 12
  const found = []
  for (const { name, key, options } of contenders) {
    bench.progress(`${name}: ${turns} turns × 4 requests`)
    const requests = await converse(options, turns)
    const { kept, recomputed } = prefixFigures(requests)
    found.push({
      name,
      key,
      requests: requests.length,
      kept: mean(kept) * 100,
      worst: Math.min(...kept) * 100,
      recomputed,
    })
  }
  const base = found[0]?.recomputed ?? Number.NaN
  const ours = found.find(({ key }) => key === "hivemind")
  const warned = found.find(({ key }) => key === "warnings")
  const times = (value: number) => value / base
  return {
    table: {
      head: [
        `${turns} turns × 3 tool steps`,
        "prefix kept",
        "worst",
        "bytes recomputed",
        "against no plugin",
      ],
      rows: found.map(({ name, kept, worst, recomputed }) => [
        name,
        `${figure(kept)} %`,
        `${figure(worst)} %`,
        count(recomputed),
        `${figure(times(recomputed))} ×`,
      ]),
    },
    bars: [
      {
        what: "prefix kept, the worst of all requests",
        value: ours?.worst ?? Number.NaN,
        unit: "%",
        atLeast: 100,
      },
      {
        what: "prefix kept with every warning on, the worst of all requests",
        value: warned?.worst ?? Number.NaN,
        unit: "%",
        atLeast: 100,
      },
      {
        what: "bytes recomputed against no plugin",
        value: times(ours?.recomputed ?? Number.NaN),
        unit: "×",
        atMost: 1.35,
      },
    ],
    notes: [
      "Prefix kept: the longest common prefix of a request with the one before it, over the earlier one; tools first, then messages.",
      "The graph changes before every turn, from another process: a task completed, the next started, a mem, an anchor.",
      "A provider bills the kept prefix at about a tenth; what is recomputed is paid in full.",
    ],
    figures: Object.fromEntries(
      found.map(({ key, requests, kept, worst, recomputed }) => [
        key,
        {
          requests,
          kept_percent: kept,
          worst_percent: worst,
          recomputed_bytes: recomputed,
          times: times(recomputed),
        },
      ]),
    ),
  }
}
