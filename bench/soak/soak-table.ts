import { count } from "../figures.ts"
import type { HookTimes, Moment } from "./measure.ts"

export interface SoakResults {
  commit: string
  date: string
  machine: string
  turns: number
  compactions: number
  kills: number
  researchers: number
  checks: number
  restores: number
  asked_dashboard: number
  acknowledged: number
  lost: number
  untrue: number
  files_lost: number
  /** Characters that the plugin printed. */
  printed: number
  /** At the start, in the middle, at the end. */
  moments: Moment[]
  hooks: Record<string, { start: HookTimes; end: HookTimes }>
}

/** As Markdown: printed, and part of the page on reliability. */
export function renderSoak(soak: SoakResults): string {
  const nameOf = (n: number) => (n === 0 ? "start" : n === soak.moments.length - 1 ? "end" : "middle")
  const rows: [string, (moment: Moment) => number][] = [
    ["host's memory (MB)", (moment) => moment.host_memory_mb],
    ["host's open files", (moment) => moment.host_handles],
    [".hivemind (MB)", (moment) => moment.hive_mb],
    ["the log in it (MB)", (moment) => moment.log_mb],
    ["snapshots (MB)", (moment) => moment.snapshots_mb],
  ]
  return [
    `${count(soak.turns)} turns of three sessions at once: ${soak.kills} kills of the host, ${soak.compactions} compactions, ` +
      `${soak.researchers} researchers, ${soak.restores} deleted files restored, ${soak.asked_dashboard} requests to the dashboard.`,
    `**${count(soak.acknowledged)} acknowledged mems, ${soak.lost} lost; ${soak.checks} looks at what the model can conclude, ` +
      `${soak.untrue} untrue; ${soak.files_lost} files lost.**`,
    table(
      ["", ...soak.moments.map(({ turns }, n) => `${nameOf(n)} (turn ${count(turns)})`)],
      rows.map(([name, of]) => [name, ...soak.moments.map((moment) => String(of(moment)))]),
    ),
    table(
      ["hook (ms)", "p50, first third", "p50, last third", "p99, first third", "p99, last third"],
      Object.entries(soak.hooks).map(([name, { start, end }]) => [
        name,
        ...[start.p50_ms, end.p50_ms, start.p99_ms, end.p99_ms].map(String),
      ]),
    ),
    `Commit ${soak.commit}, ${soak.date}, ${soak.machine}.`,
  ].join("\n\n")
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map((_, n) => (n === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n")
}
