import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NAMED_HARMLESS } from "../../test/shared/secrets/named-harmless.ts"
import { NAMED } from "../../test/shared/secrets/named-planted.ts"
import { runProbe } from "../child.ts"
import { count, times } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** Whether the functions that read untrusted text take time in proportion to its length. */
export const scalingSection: Section = { name: "scaling", title: "Long input", run }

async function run(bench: Bench): Promise<Findings> {
  const ordinaryText = join(bench.folder(), "ordinary.txt")
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8")
  writeFileSync(ordinaryText, [changelog, ...NAMED.map(({ text }) => text), ...NAMED_HARMLESS].join("\n"))
  const args = [ordinaryText, String(bench.rounds(5))]
  bench.progress("long text against short texts")
  const ratios = await runProbe<Record<string, Record<string, number>>>(process.execPath, PROBE, args)
  const found = Object.entries(ratios).map(([name, byInput]) => {
    const [worst = "", ratio = Number.NaN] =
      Object.entries(byInput).toSorted(([, a], [, b]) => b - a)[0] ?? []
    return { name, inputs: Object.keys(byInput).length, worst, ratio }
  })
  return {
    table: {
      head: ["function", "inputs", "worst input", "ratio"],
      rows: found.map(({ name, inputs, worst, ratio }) => [
        name,
        count(inputs),
        JSON.stringify(worst),
        times(ratio),
      ]),
    },
    bars: found.map(({ name, ratio }) => ({
      what: `${name}, worst input`,
      value: ratio,
      unit: "×",
      atMost: 3,
    })),
    notes: [
      "One text against eight texts an eighth as long: 1 × is linear, 8 × is quadratic. Less than 1 × where the length is capped.",
      "Each input is one piece of text repeated; processor time, the best of some rounds.",
    ],
    figures: Object.fromEntries(found.map(({ name, worst, ratio }) => [name, { worst, ratio }])),
  }
}

const PROBE = new URL("./scaling-probe.mjs", import.meta.url)
