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
