// usage: main.ts <filling> <path> <mems>
import { writeFileSync } from "node:fs"
import { mcpFile } from "../mcp-memory.ts"
import { memRecord, sampleMem } from "../sample-mem.ts"
import type { Filling } from "./fill.ts"
import { fillProject } from "./hive.ts"

// fill.ts starts it with these three.
const [filling, path = "", count] = process.argv.slice(2) as [Filling, string, string]
const samples = (mems: number) => Array.from({ length: mems }, (_, n) => sampleMem(n))

if (filling === "rewrite")
  writeFileSync(path, JSON.stringify({ mems: samples(Number(count)).map(memRecord) }))
else if (filling === "mcp") writeFileSync(path, mcpFile(samples(Number(count))))
else await fillProject(path, Number(count), filling)
