import { expect, it } from "vitest"
import type { Checkpoint } from "../../../src/schemas/task.ts"
import { isVerified } from "../../../src/work/task/evidence.ts"

const ran = (command: string, exit: number, tree = "git 1") =>
  ({ command, run: { tree, exit, output: "", changed: [] } }) as unknown as Checkpoint

it("a run counts for the very check that it was, on the files that it saw", () => {
  expect(isVerified([ran("npm test", 0)], "npm test", "git 1")).toBe(true)
  expect(isVerified([ran("true", 0)], "npm test", "git 1")).toBe(false)
  expect(isVerified([ran("npm test", 0)], "npm test", "git 2")).toBe(false)
  expect(isVerified([ran("npm test", 0), ran("npm test", 1)], "npm test", "git 1")).toBe(false)
  expect(isVerified([ran("npm test", 0), ran("true", 1)], "npm test", "git 1")).toBe(true)
})
