import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { signalNames } from "../../src/schemas/signals.ts"
import type { HostVersion } from "../../test/live/bed/host-bed.ts"
import { noOpencode2 } from "../../test/live/bed/opencode2.ts"
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

const contenders: { name: string; key: string; options: ScratchOptions; host?: HostVersion }[] = [
  { name: "no plugin", key: "none", options: { plugin: false } },
  { name: "HiveMind", key: "hivemind", options: {} },
  { name: "HiveMind, every warning on", key: "warnings", options: { pluginOptions: allWarnings } },
  {
    name: "state rewritten into the last user message",
    key: "rewrite",
    options: { plugin: pluginAt("rewrite-plugin") },
  },
  { name: "state in the system prompt", key: "system", options: { plugin: pluginAt("system-plugin") } },
  { name: "OpenCode 2, no plugin", key: "none_2", options: { plugin: false }, host: 2 },
  { name: "OpenCode 2, HiveMind", key: "hivemind_2", options: {}, host: 2 },
]

/** Another plugin that changes what the model is sent: installed for this run alone. Undefined where that fails. */
function dcpIn(folder: string): string | undefined {
  const args = [
    "install",
    "--prefix",
    folder,
    "--omit=peer",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    DCP,
  ]
  try {
    execFileSync("npm", args, { stdio: "ignore" })
    return join(folder, "node_modules", DCP.slice(0, DCP.lastIndexOf("@")))
  } catch {
    return undefined
  }
}

const DCP = "@tarquinen/opencode-dcp@3.1.14"

interface Found {
  name: string
  key: string
  host: HostVersion
  requests: number
  kept: number
  worst: number
  recomputed: number
}

async function run(bench: Bench): Promise<Findings> {
  const turns = bench.isQuick ? 3 : 12
  const found: Found[] = []
  const dcp = dcpIn(bench.folder())
  const all = [...contenders]
  if (dcp !== undefined) all.splice(3, 0, { name: DCP, key: "dcp", options: { plugin: dcp } })
  for (const { name, key, options, host = 1 } of all) {
    if (host === 2 && noOpencode2 !== undefined) continue
    bench.progress(`${name}: ${turns} turns × 4 requests`)
    const requests = await converse(options, turns, host)
    const { kept, recomputed } = prefixFigures(requests)
    found.push({
      name,
      key,
      host,
      requests: requests.length,
      kept: mean(kept) * 100,
      worst: Math.min(...kept) * 100,
      recomputed,
    })
  }
  const baseOf = (version: HostVersion) =>
    found.find(({ host }) => host === version)?.recomputed ?? Number.NaN
  const ours = found.find(({ key }) => key === "hivemind")
  const warned = found.find(({ key }) => key === "warnings")
  const second = found.find(({ key }) => key === "hivemind_2")
  const times = ({ recomputed, host }: { recomputed: number; host: HostVersion }) => recomputed / baseOf(host)
  return {
    table: {
      head: [
        `${turns} turns × 3 tool steps`,
        "prefix kept",
        "worst",
        "bytes recomputed",
        "against no plugin",
      ],
      rows: found.map((each) => [
        each.name,
        `${figure(each.kept)} %`,
        `${figure(each.worst)} %`,
        count(each.recomputed),
        `${figure(times(each))} ×`,
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
      ...(second === undefined
        ? []
        : [
            {
              what: "prefix kept in OpenCode 2, the worst of all requests",
              value: second.worst,
              unit: "%",
              atLeast: 100,
            },
          ]),
      {
        what: "bytes recomputed against no plugin",
        value: ours === undefined ? Number.NaN : times(ours),
        unit: "×",
        atMost: 1.35,
      },
    ],
    notes: [
      "Prefix kept: the longest common prefix of a request with the one before it, over the earlier one; tools first, then messages.",
      "The graph changes before every turn, from another process: a task completed, the next started, a mem, an anchor.",
      ...(noOpencode2 === undefined ? [] : [noOpencode2]),
      dcp === undefined
        ? `${DCP} could not be installed, and is not measured.`
        : `${DCP} says nothing of its own; it takes old tool output away, so that less is sent in the end.`,
      "A provider bills the kept prefix at about a tenth; what is recomputed is paid in full.",
    ],
    figures: Object.fromEntries(
      found.map((each) => [
        each.key,
        {
          requests: each.requests,
          kept_percent: each.kept,
          worst_percent: each.worst,
          recomputed_bytes: each.recomputed,
          times: times(each),
        },
      ]),
    ),
  }
}
