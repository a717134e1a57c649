import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { renderSoak, type SoakResults } from "../bench/soak/soak-table.ts"
import type { Row } from "./store/faults/table.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
export const RESULTS = at("./long-results.json")
const SOAK_RESULTS = at("../bench/soak-results.json")
export const PAGE = at("../docs/reliability.md")

export function writeReliabilityPage(): void {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"))
  writeFileSync(PAGE, reliabilityPage(read(RESULTS), read(SOAK_RESULTS)))
}

/** The last result of one test; `table` holds the rows it recorded, such as fault, tries, lost. */
export interface TestResult {
  commit: string
  date: string
  seconds: number
  result: string
  table?: unknown
}

export type LongResults = Record<string, Record<string, TestResult>>

type FaultRow = Omit<Row, "lost" | "wrong"> & { lost: number; wrong: number }

/** docs/reliability.md: every fault that was tried, from the results of `npm run test:long` and `npm run soak`. */
export function reliabilityPage(results: LongResults, soak: SoakResults): string {
  const families = Object.values(results).flatMap((file) =>
    Object.entries(file).flatMap(([title, result]) => {
      const rows = (Array.isArray(result.table) ? result.table : []).filter(isFaultRow)
      return rows.length === 0 ? [] : [{ title, result, rows }]
    }),
  )
  const all = families.flatMap(({ rows }) => rows)
  const sum = (of: (row: FaultRow) => number) => all.reduce((total, row) => total + of(row), 0)
  return [
    INTRODUCTION,
    `**${number(sum(({ tries }) => tries))} tries, ${number(sum(({ acknowledged }) => acknowledged))} acknowledged writes, ` +
      `${number(sum(({ lost }) => lost))} lost.** ${number(sum(({ told }) => told))} of ` +
      `${number(sum(({ toTell }) => toTell))} times that something had to be told, it was.`,
    `## A week in an hour\n\n${SOAK}\n\n${renderSoak(soak)}`,
    ...families.map(family),
    `${LIMITS}\n`,
  ].join("\n\n")
}

function family({ title, result, rows }: { title: string; result: TestResult; rows: FaultRow[] }): string {
  const { commit, date } = result
  const failed = result.result === "passed" ? "" : ` **This run ${result.result}.**`
  return [
    `## ${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    `Commit ${commit}, ${date}.${failed}`,
    [
      "| fault | tries | acknowledged | lost | told | most often told |",
      "| --- | --: | --: | --: | --: | --- |",
      ...rows.map(
        (row) =>
          `| ${row.fault} | ${number(row.tries)} | ${number(row.acknowledged)} | ${row.lost} | ` +
          `${row.toTell === 0 ? "" : `${number(row.told)} of ${number(row.toTell)}`} | ${oftenTold(row)} |`,
      ),
    ].join("\n"),
  ].join("\n\n")
}

/** The message that was seen most often. Those of a system error name the call at which it was injected. */
function oftenTold({ messages }: FaultRow): string {
  const [most] = Object.entries(messages).sort(([, one], [, other]) => other - one)
  return most === undefined ? "" : most[0].replaceAll("|", "\\|").replaceAll("<", "&lt;").trim()
}

function isFaultRow(row: unknown): row is FaultRow {
  return typeof row === "object" && row !== null && "tries" in row && "toTell" in row
}

const number = (value: number): string => value.toLocaleString("en-US")
const INTRODUCTION = `# Reliability

<!-- Written by \`npm run test:long\` and \`npm run soak\` from their results. Do not edit. -->

Every fault that is tried against the store and against sync. \`npm run test:long -- store\` runs all of them (about an hour on a
quiet machine) and writes this page; \`npm test\` runs a sample of each. To run one family:
\`npm run test:long -- faults -t "power cut"\`.

- **Acknowledged**: writes for which the caller got no error. After each try every process that has the hive open, and one that opens
  it anew, must have all of them, in the graph and in the log, and both must agree. What is missing counts as **lost**.
- **Told**: of the times when something had to be said (a refused write, damage that changes something), those when the person got
  an error that says what happened and is true: a write that was refused is not in force, unless the error says that it may be.
- **Most often told** is the message that a person read most often. Ids, paths and numbers are shortened.`

const SOAK = `\`npm run soak\`: the real OpenCode with a scripted model, and everything on: snapshots, automatic sync with a remote,
the dashboard open, researchers, compactions, and kills of the host. 1,000 turns, or as many as \`--turns\` says.`

const LIMITS = `## Not tried

- A real power cut: the disk is a recording of the file system's calls, of which those that were not synced are dropped or reordered.
- Network file systems, macOS and Windows: the faults are injected on Linux.
- A disk that returns other bytes than were written and reports no error, while a process runs.`
