import { parseArgs } from "node:util"
import type { Section } from "./section.ts"

export interface Options {
  sections: Section[]
  isQuick: boolean
}

/** Reads `--only save,load` and `--quick`. */
export function parseOptions(args: string[], all: Section[]): Options {
  const { values } = parseArgs({
    args,
    options: { only: { type: "string" }, quick: { type: "boolean", default: false } },
  })
  const names = values.only?.split(",") ?? all.map((section) => section.name)
  const unknown = names.filter((name) => !all.some((section) => section.name === name))
  if (unknown.length > 0) {
    const known = all.map((section) => section.name).join(", ")
    console.error(`There is no section ${unknown.join(", ")}; there are ${known}.`)
    process.exit(2)
  }
  return { sections: all.filter((section) => names.includes(section.name)), isQuick: values.quick }
}
