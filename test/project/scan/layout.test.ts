import { expect, it } from "vitest"
import { findLayout } from "../../../src/project/scan/layout.ts"
import { runToEnd } from "../../../src/shared/slices.ts"

function layoutOf(lines: Record<string, number>) {
  const { languages, structure } = runToEnd(
    findLayout(Object.entries(lines).map(([path, count]) => ({ path, lines: count }))),
  )
  return {
    languages: languages.map(({ name }) => name),
    folders: structure.map(({ path, role, language }) => `${path} ${role} ${language}`),
  }
}

it("a folder's language is that of most of its files, not of the longest", () => {
  expect(layoutOf({ "src/a.ts": 10, "src/b.ts": 10, "src/generated.py": 9000 }).folders).toEqual([
    "src source TypeScript",
  ])
})

it("what a run of the tests has left is no source; a part of the program with that name is", () => {
  const { languages, folders } = layoutOf({
    "playwright-report/index.html": 5000,
    "playwright-report/trace/app.js": 5000,
    "coverage/index.html": 10,
    "coverage/style.css": 10,
    "coverage/sorter.js": 100,
    "src/coverage/a.go": 10,
  })
  expect(languages).not.toContain("JavaScript")
  expect(folders).toEqual(
    expect.arrayContaining([
      "playwright-report not ours JavaScript",
      "coverage not ours JavaScript",
      "src/coverage source Go",
    ]),
  )
  expect(layoutOf({ "coverage/a.go": 10, "coverage/b.go": 10 }).folders).toEqual(["coverage source Go"])
})
