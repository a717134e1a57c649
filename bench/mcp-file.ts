import type { SampleMem } from "./sample-mem.ts"

/** The file as the MCP memory server writes it. */
export function mcpFile(mems: SampleMem[]): string {
  return mems.map((mem, n) => JSON.stringify({ type: "entity", ...entityOf(mem, `mem-${n}`) })).join("\n")
}

/** A mem is a thing of its own, so it becomes an entity; its text and what it rests on are its observations. */
export function entityOf(mem: SampleMem, name: string) {
  return {
    name,
    entityType: mem.kind,
    observations: [mem.content, ...mem.evidence, `${mem.shelf}: ${mem.tags.join(", ")}`],
  }
}
