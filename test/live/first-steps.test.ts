import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { firstSteps } from "../../demo/first-steps/first-steps.ts"
import { comparable } from "../../demo/first-steps/transcript.ts"
import { REPOSITORY } from "./bed/scratch.ts"

it("docs/first-steps.md is what a new user sees: from the packed package to the last line of uninstall", async () => {
  const page = readFileSync(join(REPOSITORY, "docs", "first-steps.md"), "utf8")
  expect(comparable(await firstSteps())).toBe(comparable(page))
}, 300_000)
