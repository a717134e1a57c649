import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const folder = fileURLToPath(new URL("../../docs/decisions/", import.meta.url))
const records = readdirSync(folder)
  .filter((name) => name !== "README.md")
  .sort()

it("the list of decisions has every record, in order", () => {
  const text = readFileSync(`${folder}README.md`, "utf8")
  const listed = [...text.matchAll(/^- \[(\d{4})\]\((.+?)\): \S/gm)]
  expect(listed.map(([, , name]) => name)).toEqual(records)
  for (const [, number = "", name = ""] of listed) expect(name).toMatch(new RegExp(`^${number}-`))
})

it("a record has its number, the three parts, and at most 25 lines", () => {
  for (const name of records) {
    const text = readFileSync(`${folder}${name}`, "utf8")
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)}: `))
    for (const part of ["Context", "Decision", "Consequence"]) expect(text, name).toContain(`**${part}.**`)
    expect(text.trimEnd().split("\n").length, name).toBeLessThanOrEqual(25)
  }
})
