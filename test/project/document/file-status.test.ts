import { mkdir, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { evidenceCheck } from "../../../src/knowledge/memory/evidence.ts"
import { fileStatusLookup, requireFile } from "../../../src/project/document/file-status.ts"
import { tempProject } from "../../support/temp-project.ts"

it("returns a file's hash, and a new one when the file has changed", async () => {
  const dir = await tempProject()
  const look = fileStatusLookup(dir)
  expect(look("plan.md")).toBeNull()
  await writeFile(join(dir, "plan.md"), "# A\nx\n")
  const first = look("plan.md")
  expect(first).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), sections: [{ heading: "A" }] })
  expect(look("plan.md")).toBe(first)
  await writeFile(join(dir, "plan.md"), "# A\ny\n")
  expect(look("plan.md")?.hash).not.toBe(first?.hash)
  await writeFile(join(dir, "a.ts"), "# A\nx\n")
  expect(look("a.ts")).toEqual({ hash: first?.hash, sections: [] })
})

it("has no status for folders, large files and files outside of the project", async () => {
  const dir = await tempProject()
  const look = fileStatusLookup(join(dir, "project"))
  await mkdir(join(dir, "project", "docs"), { recursive: true })
  await writeFile(join(dir, "outside.md"), "x")
  await writeFile(join(dir, "project", "large.bin"), "")
  await truncate(join(dir, "project", "large.bin"), 3_000_000)
  for (const path of ["docs", "large.bin", "../outside.md", join(dir, "outside.md")])
    expect(look(path)).toBeUndefined()
  await writeFile(join(dir, "project", "..odd.md"), "x")
  expect(look("..odd.md")).toMatchObject({ sections: [{ heading: "(beginning)" }] })
  expect(look("..odd.md/below")).toBeNull()
})

it("names a file by its path in the project, and refuses what cannot be watched", async () => {
  const dir = await tempProject()
  await mkdir(join(dir, "project", "docs"), { recursive: true })
  await writeFile(join(dir, "outside.md"), "x")
  await writeFile(join(dir, "project", "docs", "plan.md"), "x")
  await symlink(join(dir, "outside.md"), join(dir, "project", "link.md"))
  await symlink("docs", join(dir, "project", "documents"))
  const project = join(dir, "project")
  for (const given of ["docs/plan.md", "./docs/plan.md", join(project, "docs/plan.md"), "documents/plan.md"])
    expect(requireFile(project, given)).toMatchObject({ path: "docs/plan.md", now: { sections: [{}] } })
  expect(requireFile(project, "docs/later.md")).toEqual({ path: "docs/later.md", now: null })
  const why = (given: string) => {
    try {
      return requireFile(project, given)
    } catch (error) {
      return error
    }
  }
  for (const given of ["../outside.md", join(dir, "outside.md"), "link.md", "/etc/hostname"])
    expect(why(given)).toMatchObject({ code: "invalid_argument", why: "The path lies outside the project." })
  for (const given of ["docs", ".", ""]) expect(why(given)).toMatchObject({ why: "The path is a folder." })
})

it("says whether evidence still holds, has changed, or cannot be checked", async () => {
  const dir = await tempProject()
  await writeFile(join(dir, "a.ts"), "x")
  const hash = fileStatusLookup(dir)("a.ts")?.hash ?? ""
  const held = [`a.ts@${hash}`, `a.ts@${hash.slice(0, 8).toUpperCase()}`]
  expect(held.map(evidenceCheck(dir))).toEqual([true, true])
  expect(["a.ts@0000000", `gone.ts@${hash}`].map(evidenceCheck(dir))).toEqual([false, false])
  for (const evidence of ["a.ts", `../a.ts@${hash}`, "a.ts@zzz", `@${hash}`])
    expect(evidenceCheck(dir)(evidence)).toBeUndefined()
})
