import type { Command, StoreProcess } from "./lab.ts"
import { noteMessage, type Row } from "./table.ts"

export interface Acknowledged {
  what: "mem" | "plan" | "bump" | "superseded" | "undone" | "queued"
  id: string
  entry: string
  /** The number that a `bump` command has written. */
  value?: number
}

interface Graph {
  records: Record<string, string>
  counter: number
  problems: { code: string; file: string; reason: string; id: string | null }[]
  background: { message: string; stack: string }[]
}

export function openLedger(known: readonly Acknowledged[] = []) {
  const all = [...known]

  return {
    acknowledged: all as readonly Acknowledged[],
    size: () => all.length,
    note: (acknowledged: Acknowledged): void => {
      all.push(acknowledged)
    },
    async write(process: StoreProcess, command: Command): Promise<Acknowledged> {
      const told = await process.run<Acknowledged>(command)
      all.push(told)
      return told
    },
    /**
     * Checks that all processes and a new one have the same graph, with all acknowledged writes. No process may
     * write.
     */
    async check(
      row: Row,
      dir: string,
      processes: readonly StoreProcess[],
      fresh: StoreProcess,
      expected: readonly string[] = [],
    ): Promise<void> {
      await fresh.run({ do: "open", dir })
      const archived = all.flatMap(({ what, id }) => (what === "superseded" || what === "mem" ? id : []))
      let first: Graph | undefined
      for (const process of [...processes, fresh]) {
        const who = process === fresh ? "opened anew" : `process ${process.pid}`
        const graph = await process.run<Graph>({ do: "graph", dir, archived })
        row.lost.push(...missing(all, graph).map((what) => `${what} (${who})`))
        row.wrong.push(...repeated(all))
        for (const { code, file, reason } of graph.problems)
          if (expected.includes(code)) noteMessage(row, `${file}: ${reason}`)
          else row.wrong.push(`${who}: ${code} in ${file}: ${reason}`)
        for (const { stack } of expected.includes("background") ? [] : graph.background)
          row.wrong.push(`${who}: in the background: ${stack}`)
        const differences = await process.run<{ code: string; text: string }[]>({ do: "compare", dir })
        for (const { code, text } of differences)
          if (expected.includes(code)) noteMessage(row, text)
          else row.wrong.push(`${who}: ${text}`)
        first ??= graph
        row.wrong.push(...differencesBetween(first, graph).map((what) => `${who}: ${what}`))
      }
      const log = await fresh.run<string[]>({ do: "log", dir })
      if (new Set(log).size < log.length) row.wrong.push("an entry stands in the log twice")
      const logged = new Set(log)
      for (const { what, entry } of all)
        if (!logged.has(entry)) row.lost.push(`the entry ${entry} (${what}) in the log`)
      await fresh.run({ do: "close", dir })
    },
  }
}

export type Ledger = ReturnType<typeof openLedger>

function missing(all: readonly Acknowledged[], { records, counter }: Graph): string[] {
  const undone = new Set(all.flatMap(({ what, id }) => (what === "undone" ? id : [])))
  const bumps = all.filter(({ what }) => what === "bump")
  const gone = all.flatMap(({ what, id }) => {
    const isThere = `mem ${id}` in records || `archived ${id}` in records || `plan ${id}` in records
    if (what === "undone") return isThere ? [`the undo of plan ${id}`] : []
    return isThere || undone.has(id) ? [] : [`${what} ${id}`]
  })
  const highest = Math.max(0, ...bumps.map(({ value = 0 }) => value))
  return counter < Math.max(bumps.length, highest)
    ? [...gone, `${bumps.length} bumps up to ${highest}, but ${counter}`]
    : gone
}

function repeated(all: readonly Acknowledged[]): string[] {
  const seen = new Map<string, Acknowledged>()
  return all.flatMap((each) => {
    if (each.what !== "bump") return []
    const key = `${each.id} ${each.value}`
    const before = seen.get(key)
    seen.set(key, each)
    return before === undefined ? [] : [`${each.entry} and ${before.entry} both made ${each.value}`]
  })
}

function differencesBetween(one: Graph, other: Graph): string[] {
  const keys = new Set([...Object.keys(one.records), ...Object.keys(other.records)])
  return [...keys].flatMap((key) => {
    if (one.records[key] === other.records[key]) return []
    // A mem that is being archived may be in the graph, in the archive or in both.
    return [`${key} is ${other.records[key] ?? "not there"}, elsewhere ${one.records[key] ?? "not there"}`]
  })
}
