import { describe, expect, it } from "vitest"
import { judgeCommand } from "../../../src/lib/shell/judge.ts"
import { DESTRUCTIVE, ORDINARY } from "./spellings.ts"

const CONTEXT = { project: "/work/app", home: "/home/me" }

describe("a destructive command is told as one", () => {
  for (const command of DESTRUCTIVE)
    it(command, () => {
      expect(judgeCommand(command, CONTEXT).destructive).not.toBeNull()
    })
})

describe("an ordinary command is left alone", () => {
  for (const command of ORDINARY)
    it(command === "" ? "(nothing)" : command, () => {
      expect(judgeCommand(command, CONTEXT).destructive).toBeNull()
    })
})
