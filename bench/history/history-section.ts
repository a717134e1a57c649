import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sessionsIn } from "../../src/history/find-sessions.ts"
import { importSessions } from "../../src/history/import-sessions.ts"
import { openTurnIndex } from "../../src/history/turn-index.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openHistoryFiles } from "../../src/store/history-files.ts"
import { runProbe } from "../child.ts"
import { dataFile } from "../data.ts"
import { figure, ms } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"
import { verdicts } from "./verdicts.ts"

/** What past sessions teach, and what reading them takes. */
export const historySection: Section = { name: "history", title: "Past sessions", run }

interface Probe {
  found: Record<string, number>
  busiest: Record<string, number>
  bytes: number
  memory: number
  read: number
}

interface GoldFact {
  fact: string
  uuids: string[]
}

async function run(bench: Bench): Promise<Findings> {
  const taught = await taughtBySessions(bench)
  bench.progress("reading many transcripts")
  const [sessions, each] = bench.isQuick ? [10, 1] : [512, 2]
  const probe = new URL("./history-probe.mjs", import.meta.url)
  const args = [bench.folder(), String(sessions), String(each)]
  const { found, busiest, bytes, memory } = await runProbe<Probe>(process.execPath, probe, args)
  const mb = bytes / 2 ** 20
  const per100 = ((found["import"] ?? 0) / mb) * 100
  const longest = Math.max(...Object.values(busiest))
  return {
    table: {
      head: ["what", "figure"],
      rows: [
        ...taught.rows,
        [`${Math.round(mb)} MB in ${sessions} transcripts: time per 100 MB`, ms(per100)],
        ["again, nothing new", ms(found["again"] ?? 0)],
        ["memory at most, above the process before", `${figure(memory / 2 ** 20)} MB`],
        ["longest time in one go", ms(longest)],
        [
          "first recall of the history, later ones",
          `${ms(found["first recall"] ?? 0)}, ${ms(found["recall"] ?? 0)}`,
        ],
      ],
    },
    bars: [...taught.bars, { what: "longest time in one go", value: longest, unit: "ms", atMost: 20 }],
    notes: taught.notes,
    list: taught.list,
    figures: { ...taught.figures, per_100_mb_ms: per100, memory_mb: memory / 2 ** 20, longest_ms: longest },
  }
}

/** Twelve real sessions with what a careful reader would want to know afterwards; every record with a reader's verdict. */
async function taughtBySessions(bench: Bench) {
  const data = dataFile("sessions", "transcripts-dev.tar.xz")
  const nothing = { rows: [], bars: [] as Bar[], figures: {}, list: [] as string[] }
  if (!existsSync(data)) return { ...nothing, notes: ["The real sessions are not beside the repository."] }
  bench.progress("real sessions")
  const folder = bench.folder()
  execFileSync("tar", ["xJf", data, "-C", folder])
  const gold: { facts: GoldFact[] }[] = JSON.parse(readFileSync(join(folder, "dev/gold.json"), "utf8"))
  const facts = gold.flatMap((session) => session.facts)
  const project = join(folder, "project")
  mkdirSync(project)
  writeFileSync(join(project, "mise.toml"), "[tasks.lint]\n[tasks.test]\n[tasks.fmt]\n")
  writeFileSync(join(project, "go.mod"), "module x\n")
  const { hive } = await openHiveIn(project, {
    ...{ source: systemSource, userConfig: null, options: { name: "bench", value: {} } },
  })
  const { kept } = await importSessions(hive, await sessionsIn(join(folder, "dev")))
  const index = openTurnIndex(openHistoryFiles(project, systemSource))
  let recalled = 0
  for (const { fact, uuids } of facts) {
    const hits = await index.find(fact, 5)
    if (hits.some(({ passage }) => passage.ids.some((id) => uuids.includes(id)))) recalled++
  }
  await hive.store.close()
  // By the message that a record was taken from, which the reader of the gold facts named too.
  const imported = facts.filter(({ uuids }) => kept.some(({ from }) => uuids.some((id) => from.includes(id))))
  const judged = kept.map((record) => ({ record, verdict: verdicts[keyOf(record)] }))
  const good = judged.filter(({ verdict }) => verdict?.isGood === true).length
  const shares = {
    imported: imported.length / facts.length,
    recalled: recalled / facts.length,
    good: good / Math.max(1, kept.length),
  }
  return {
    rows: [
      [
        "gold facts imported as records",
        `${percent(shares.imported)} (${imported.length} of ${facts.length})`,
      ],
      [
        "gold facts recalled in the first five",
        `${percent(shares.recalled)} (${recalled} of ${facts.length})`,
      ],
      ["records that a reader calls true and useful", `${percent(shares.good)} (${good} of ${kept.length})`],
    ],
    bars: [
      { what: "gold facts imported", value: shares.imported, unit: "of all", atLeast: 0.25 },
      { what: "gold facts recalled in the first five", value: shares.recalled, unit: "of all", atLeast: 0.8 },
      { what: "records true and useful", value: shares.good, unit: "of all", atLeast: 0.8 },
    ] satisfies Bar[],
    notes: [
      "Twelve real sessions of Claude Code; the queries are the facts in the words of their reader. Before the rules were tuned on them: 36 % imported, 93 % recalled, 33 of 40 records good.",
      "A record without a verdict counts as not good. The judge is the author of the rules.",
    ],
    list: judged.map(
      ({ record, verdict }) =>
        `${verdict === undefined ? "NOT JUDGED" : verdict.isGood ? "good" : `not: ${verdict.why}`} ${keyOf(record)} [${record.kind}] ${record.content}`,
    ),
    figures: shares,
  }
}

/** The kind and the beginning of the words: the same in every run. */
function keyOf({ kind, content }: { kind: string; content: string }): string {
  return `${kind}: ${content.replace(/^(?:Said|Decided) by the user: /, "").slice(0, 60)}`
}

function percent(share: number): string {
  return `${figure(share * 100)} %`
}
