import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runProbe } from "../child.ts"
import { count } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** Whether the code map finds the imports that TypeScript itself finds, in a repository of your choice. */
export const edgesSection: Section = { name: "edges", title: "Imports beside ts-morph", isLong: true, run }

async function run(bench: Bench): Promise<Findings> {
  const peers = process.env["BENCH_PEERS"]
  const tree = process.env["BENCH_TREE"] ?? fileURLToPath(new URL("../..", import.meta.url))
  if (peers === undefined || !existsSync(join(peers, "node_modules", "ts-morph"))) return notHere()
  bench.progress("ts-morph")
  const theirs = await edgesBy("ts-morph", tree, peers)
  bench.progress("ours")
  const ours = await edgesBy("ours", tree, peers)
  const missed = [...theirs].filter((edge) => !ours.has(edge))
  const extra = [...ours].filter((edge) => !theirs.has(edge))
  return {
    table: {
      head: ["tree", "ts-morph", "ours", "missed", "extra"],
      rows: [[nameOf(tree), count(theirs.size), count(ours.size), count(missed.length), count(extra.length)]],
    },
    bars: [{ what: "imports that are missed", value: missed.length, unit: "", atMost: 0 }],
    notes: [
      "One edge for two files, of any kind. Extra is also what leads to a package of the same project: TypeScript finds it only where packages are installed.",
    ],
    list: [...missed.map((edge) => `missed  ${edge}`), ...extra.map((edge) => `extra   ${edge}`)],
    figures: {
      tree: nameOf(tree),
      theirs: theirs.size,
      ours: ours.size,
      missed: missed.length,
      extra: extra.length,
    },
  }
}

async function edgesBy(who: string, tree: string, peers: string): Promise<Set<string>> {
  const probe = new URL("./edges-probe.mjs", import.meta.url)
  return new Set(await runProbe<string[]>(process.execPath, probe, [who, tree, peers]))
}

function nameOf(tree: string): string {
  return tree.split("/").findLast((part) => part !== "") ?? tree
}

function notHere(): Findings {
  return {
    table: { head: ["tree"], rows: [] },
    bars: [],
    notes: [
      "ts-morph is not here: give the folder of an install of it in BENCH_PEERS, and a repository in BENCH_TREE (default: this one).",
    ],
    figures: {},
  }
}
