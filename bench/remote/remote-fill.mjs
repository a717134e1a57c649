// Makes a bare repository whose log has so many entries of two clones, as months of a team's work leave it.
// usage: remote-fill.mjs <remote> <entries>
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { LOG_REF, openRepository } from "../../build/sync/ref.js"
import { BY, mem } from "../growth/growth-records.mjs"

const [remote, size] = process.argv.slice(2)
const LINES_PER_FILE = 500
const CLONES = ["anna", "bert"]
// Written by turns: each has seen what the other one wrote before.
const TURN = 20
execFileSync("git", ["init", "-q", "--bare", remote])
const repository = openRepository(remote)
const tree = new Map()
const open = CLONES.map((name) => ({ name, number: 1, seq: 0, lines: [] }))
let last
for (let clock = 1; clock <= Number(size); clock++) {
  const clone = open[Math.floor(clock / TURN) % open.length]
  const record = mem(clock)
  last = record.created_at
  const entry = {
    id: randomUUID(),
    at: last,
    by: BY,
    writer: clone.name,
    clock,
    ops: [{ op: "add", kind: "mem", record }],
  }
  // Every fifth is an ordered one.
  if (clock % 5 === 0) entry.seq = ++clone.seq
  clone.lines.push(JSON.stringify(entry))
  if (clone.lines.length === LINES_PER_FILE) await put(clone)
}
for (const clone of open) if (clone.lines.length > 0) await put(clone)
const commit = await repository.commit(await repository.writeTree(tree), [], "log", last)
await repository.move(LOG_REF, commit, undefined)
repository.close()
execFileSync("git", ["-C", remote, "repack", "-adq"])
console.log(JSON.stringify({ entries: Number(size) }))

async function put(clone) {
  const path = `${clone.name}/${String(clone.number++).padStart(6, "0")}.jsonl`
  tree.set(path, await repository.writeBlob(`${clone.lines.join("\n")}\n`))
  clone.lines = []
}
