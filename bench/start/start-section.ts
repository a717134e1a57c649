import { count, figure, ms, p50 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { ownTime } from "./own-time.ts"
import { type Start, type TimedHost, timedHost } from "./timed-host.ts"

/** How much longer OpenCode takes to start because of the plugin. */
export const startSection: Section = { name: "start", title: "OpenCode's start", run }

async function run(bench: Bench): Promise<Findings> {
  const project = await bench.filledProject(bench.barSize)
  const own = await ownTime(project, bench.rounds(OWN_ROUNDS))
  const pairs = await startBoth(bench, project)
  const middle = (value: (pair: Pair) => number) => p50(pairs.map(value))
  const figures = {
    starts: pairs.length,
    without_ms: middle(({ without }) => without.loaded),
    with_ms: middle(({ plugged }) => plugged.loaded),
    // Pair by pair, because what the machine does besides changes from minute to minute.
    added_ms: middle(({ without, plugged }) => plugged.loaded - without.loaded),
    added_after_listening_ms: middle(({ without, plugged }) => loading(plugged) - loading(without)),
    own_import_ms: own.import_ms,
    own_server_ms: own.server_ms,
  }
  const share = (value: number) => (value / figures.without_ms) * 100
  const row = (name: string, value: number) => [name, ms(value), `${figure(share(value))} %`]
  return {
    table: {
      head: ["p50", "time", "share"],
      rows: [
        ["OpenCode without the plugin", ms(figures.without_ms), ""],
        ["OpenCode with it", ms(figures.with_ms), ""],
        row("difference, all of the start", figures.added_ms),
        row('difference, from "listening" on', figures.added_after_listening_ms),
        row("the plugin alone on Bun: import", figures.own_import_ms),
        row("the plugin alone on Bun: server()", figures.own_server_ms),
      ],
    },
    bars: [
      {
        what: 'plugin\'s share of the start, from "listening" on',
        value: share(figures.added_after_listening_ms),
        unit: "%",
        atMost: 5,
      },
    ],
    notes: [
      "From the spawn of `opencode serve` to the answer to the first request, which waits for all plugins.",
      "Differences pair by pair. OpenCode loads plugins after it listens, so what comes before is noise: the bar leaves it out.",
      `The project holds ${count(bench.barSize)} mems. Both load the test bed's tiny plugin; neither installs from npm.`,
    ],
    figures: { ...figures, share_percent: share(figures.added_after_listening_ms) },
  }
}

interface Pair {
  without: Start
  plugged: Start
}

async function startBoth(bench: Bench, project: string): Promise<Pair[]> {
  const rounds = bench.rounds(ROUNDS)
  const pairs: Pair[] = []
  const hosts: TimedHost[] = []
  const open = async (withPlugin: boolean) => {
    const host = await timedHost(project, withPlugin)
    hosts.push(host)
    return host
  }
  try {
    const plain = await open(false)
    const withPlugin = await open(true)
    for (let round = 1; round <= rounds; round++) {
      bench.progress(`start ${round} of ${rounds}, without and with`)
      // By turns the one first, then the other.
      const early = round % 2 === 0 ? await withPlugin.start() : undefined
      const without = await plain.start()
      pairs.push({ without, plugged: early ?? (await withPlugin.start()) })
    }
  } finally {
    for (const host of hosts) await host.close()
  }
  return pairs
}

function loading({ listening, loaded }: Start): number {
  return loaded - listening
}

const ROUNDS = 15
const OWN_ROUNDS = 11
