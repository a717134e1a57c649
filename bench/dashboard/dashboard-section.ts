import { startBrowser } from "../../test/support/browser.ts"
import { runProbe } from "../child.ts"
import { count, figure, ms, p50 } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"
import { look, type Seen } from "./in-browser.ts"
import { askOn, keepBusy, serve } from "./served.ts"

/** What a reader waits for at a large hive, beside a small one; what the server takes for it, and what its reading costs who writes. */
export const dashboardSection: Section = { name: "dashboard", title: "The dashboard", run }

interface Answered {
  found: Record<string, number>
  bytes: Record<string, number>
  /** How often the store was written to, or locked, while it answered. */
  touched: number
}

interface Filled {
  project: string
  plan: string
}

async function run(bench: Bench): Promise<Findings> {
  const [tasks, mems] = bench.isQuick ? [200, 500] : [TASKS, MEMS]
  const [small, large] = [await fill(bench, 50, 200), await fill(bench, tasks, mems)]
  bench.progress("the server's answers")
  const { found, bytes, touched } = await runProbe<Answered>(process.execPath, ANSWERS, [
    large.project,
    large.plan,
  ])
  const seen = await seenIn(bench, [small, large])
  const saves = await savesBeside(bench, large)
  const views = Object.keys(bytes)
  const blockOf = (view: string) => found[`${view}_block`] ?? Number.NaN
  const reader = SEEN.map(([key, what]) => ({
    what,
    small: seen?.[0]?.[key],
    large: seen?.[1]?.[key],
    atMost: AT_MOST[key],
  }))
  return {
    table: {
      head: ["what", "small", "large", "longest block", "kB"],
      rows: [
        ...reader.map(({ what, small: few, large: many }) => [what, time(few), time(many), "", ""]),
        ...views.map((view) => [
          `the server's answer: ${view}`,
          "",
          time(found[view]),
          ms(blockOf(view)),
          count(Math.round((bytes[view] ?? 0) / 1000)),
        ]),
        ["one save, nobody looks", "", ms(saves.alone), "", ""],
        ["one save, other programs keep the processors busy", "", ms(saves.busy), "", ""],
        ["one save, views asked for without a pause", "", ms(saves.beside), "", ""],
      ],
    },
    bars: [
      ...reader.map(
        ({ what, small: few, large: many, atMost }): Bar => ({
          what: `${what}, against a small hive`,
          value: few === undefined || many === undefined ? undefined : many / few,
          unit: "×",
          atMost,
        }),
      ),
      { what: "writes and locks in the store while views are answered", value: touched, unit: "", atMost: 0 },
      {
        what: "a save while views are asked for, against one beside other busy programs",
        value: saves.beside / saves.busy,
        unit: "×",
        atMost: 2,
      },
    ],
    notes: [
      `Small: 50 tasks and 200 mems; large: ${count(tasks)} tasks in one plan and ${count(mems)} mems. \`hivemind dashboard\` in a process of its own, a real Chromium; the best of ${bench.rounds(ROUNDS)} visits.`,
      `While the saves ran, ${count(saves.asked)} views of the large hive were answered. Against a save alone, one took ${figure(saves.beside / saves.alone)} × as long: that has no bar, since the server and who asks it take processors from it. Bars against a save alone (2 ×) and beside one busy program (1.5 ×) were tried first and missed, on a machine that others kept busy.`,
    ],
    figures: {
      ...Object.fromEntries(
        reader.map(({ what, small: few, large: many }) => [
          what,
          { small_ms: few ?? Number.NaN, large_ms: many ?? Number.NaN },
        ]),
      ),
      ...Object.fromEntries(
        views.map((view) => [
          view,
          { ms: found[view] ?? 0, block_ms: blockOf(view), bytes: bytes[view] ?? 0 },
        ]),
      ),
      save_alone_ms: saves.alone,
      store_touched: touched,
      save_busy_ms: saves.busy,
      save_beside_ms: saves.beside,
    },
  }
}

async function fill(bench: Bench, tasks: number, mems: number): Promise<Filled> {
  bench.progress(`${count(tasks)} tasks and ${count(mems)} mems`)
  const project = bench.folder()
  const { plan } = await runProbe<{ plan: string }>(process.execPath, FILL, [
    project,
    String(tasks),
    String(mems),
  ])
  return { project, plan }
}

/** The best of some visits, small and large by turns; undefined where no browser can start. */
async function seenIn(bench: Bench, hives: readonly Filled[]): Promise<Seen[] | undefined> {
  const browser = await startBrowser()
  if (browser === null) return undefined
  try {
    const best: Seen[] = []
    for (let round = 1; round <= bench.rounds(ROUNDS); round++) {
      for (const [at, { project }] of hives.entries()) {
        bench.progress(`visit ${round} of the ${at === 0 ? "small" : "large"} hive`)
        const served = await serve(project, bench.folder())
        const seen = await look(browser, served.url).finally(served.stop)
        best[at] = least(best[at], seen)
      }
    }
    return best
  } finally {
    await browser.close()
  }
}

/**
 * The middle of many saves by turns: alone, beside programs that only take processors, and while somebody looks. Who looks
 * takes processors too; what a save then takes longer than beside the others is what the reading holds of the store.
 */
async function savesBeside(bench: Bench, { project, plan }: Filled) {
  const saves = bench.isQuick ? 20 : 150
  const alone: number[] = []
  const busy: number[] = []
  const beside: number[] = []
  let asked = 0
  for (let round = 1; round <= bench.rounds(ROUNDS); round++) {
    bench.progress(`saves, round ${round}`)
    const save = () => runProbe<{ times: number[] }>(process.execPath, SAVES, [project, String(saves)])
    alone.push(p50((await save()).times))
    const other = keepBusy()
    busy.push(p50((await save()).times))
    other.stop()
    const served = await serve(project, bench.folder())
    const asking = await askOn(served.url, plan)
    beside.push(p50((await save()).times))
    asked += await asking.stop()
    served.stop()
  }
  return { alone: Math.min(...alone), busy: Math.min(...busy), beside: Math.min(...beside), asked }
}

function least(before: Seen | undefined, now: Seen): Seen {
  if (before === undefined) return now
  const of = (key: keyof Seen) => Math.min(before[key], now[key])
  return {
    ...{ paint: of("paint"), now: of("now"), search: of("search") },
    ...{ typing: of("typing"), graph: of("graph"), frame: of("frame") },
  }
}

function time(value: number | undefined): string {
  return value === undefined ? "no browser" : ms(value)
}

const SEEN: readonly (readonly [keyof Seen, string])[] = [
  ["paint", "first paint"],
  ["now", "the thread of the work in sight"],
  ["search", "from the last letter to what was found"],
  ["typing", "longest the page is busy while one types"],
  ["graph", "from the click to the graph"],
  ["frame", "between two pictures while it is moved and zoomed (p95)"],
]
const AT_MOST: Readonly<Record<keyof Seen, number>> = {
  paint: 2,
  now: 4,
  search: 4,
  typing: 2,
  graph: 6,
  frame: 2,
}
const FILL = new URL("./fill.mjs", import.meta.url)
const ANSWERS = new URL("./answers-probe.mjs", import.meta.url)
const SAVES = new URL("./saves-probe.mjs", import.meta.url)
const TASKS = 5000
const MEMS = 20_000
const ROUNDS = 3
