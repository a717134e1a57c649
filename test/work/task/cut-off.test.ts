import { expect, it } from "vitest"
import { isCutOnPurpose } from "../../../src/work/task/cut-off.ts"

it.each([
  "yes | npm run build",
  "yes | head -1",
  "cd app && yes y | npm run build",
  "npm test | grep -q passed",
  "npm test 2>&1 | tee log | grep -Eq 'ok|passed'",
  "npm test | grep --quiet passed && npm run lint",
])("on purpose: %s", (command) => expect(isCutOnPurpose(command)).toBe(true))

it.each([
  "npx --yes vitest | head",
  "npm test -- --yes | head -5",
  "echo yes; npm test | head",
  "yes | npm test | head",
  "npm test | head | grep -q ok",
  "npm test | grep -q ok; npm run e2e | head",
  "npm test | grep 'x -q' | head",
  "npm test | head # | grep -q x",
  "npm test | grep ok",
  "npm test",
])("not: %s", (command) => expect(isCutOnPurpose(command)).toBe(false))
