import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { parse } from "yaml"
import { entriesOf, withRelease } from "../scripts/changelog.mjs"

const root = join(import.meta.dirname, "..")
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8")

it("a release gives the entries under [Unreleased] its version and day, and leaves that heading empty", () => {
  const before =
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-01-02\n\n- Zero.\n"
  const after = withRelease(before, "0.2.0", "2026-03-04")
  expect(after).toContain("## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n\n### Added\n\n- One.\n")
  expect([entriesOf(after, "Unreleased"), entriesOf(after, "0.1.0")]).toEqual(["", "- Zero."])
  expect(() => withRelease(after, "0.3.0", "2026-03-05")).toThrow("Nothing is under [Unreleased]")
  expect(() => withRelease(before, "0.1.0", "2026-03-05")).toThrow("a [0.1.0] already")
})

it("the current changelog can be released, and its text printed", () => {
  const args = ["scripts/changelog.mjs", "notes", "Unreleased"]
  const notes = execFileSync(process.execPath, args, { cwd: root })
  expect(notes.toString().trim()).toBe(entriesOf(read("CHANGELOG.md"), "Unreleased"))
  expect(withRelease(read("CHANGELOG.md"), "0.1.0", "2026-11-20")).toContain("## [0.1.0] - 2026-11-20\n")
})

it("the bill of materials names the packages that are bundled, and no other", () => {
  const printed = execFileSync(process.execPath, ["scripts/sbom.mjs"], { cwd: root, encoding: "utf8" })
  const bill = JSON.parse(printed)
  const names: string[] = bill.components.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(["zod", "commander", "preact"]))
  expect(names.filter((name) => /vitest|typescript|opencode/.test(name))).toEqual([])
  const own = { name: "hivemind-opencode", licenses: [{ license: { id: "MIT" } }] }
  expect(bill.metadata.component).toMatchObject(own)
})

it("the workflows run scripts and files that are there, with no more rights than to read by default", () => {
  const { scripts } = JSON.parse(read("package.json"))
  for (const file of readdirSync(join(root, ".github", "workflows"))) {
    const text = read(".github", "workflows", file)
    const workflow = parse(text)
    expect(workflow.permissions, file).toEqual({ contents: "read" })
    const run = [...text.matchAll(/(?:npm|--bun) run ([\w:]+)/g)].map(([, name = ""]) => name)
    expect(run.filter((name) => scripts[name] === undefined)).toEqual([])
    for (const [, script = ""] of text.matchAll(/node (scripts\/\S+)/g)) expect(read(script)).not.toBe("")
  }
})

it("the issue forms have the fields that GitHub requires", () => {
  for (const file of ["bug.yml", "idea.yml"]) {
    const form = parse(read(".github", "ISSUE_TEMPLATE", file))
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const fields: { id: string; type: string; attributes: { label: string } }[] = form.body
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
    for (const { type, attributes } of fields) {
      expect(["textarea", "dropdown"]).toContain(type)
      expect(attributes.label).not.toBe("")
    }
  }
})
