import { expect, test } from "vitest"
import { guardOutput, ownSequence } from "../../../src/cli/terminal/output.ts"
import { withProgress } from "../../../src/cli/terminal/progress.ts"
import { styleFor } from "../../../src/cli/terminal/style.ts"

test("progress is for a terminal only, and cleans up after itself", async () => {
  const on = (isTTY: boolean) => {
    let text = ""
    const stderr = { isTTY, write: (more: string) => (text += more) }
    const io = { cwd: "/", home: "/", env: {}, stdin: {}, ancestors: () => [], stdout: stderr, stderr }
    return withProgress("Starting", guardOutput(io), async () => "done").then((result) => ({ result, text }))
  }
  expect(await on(false)).toEqual({ result: "done", text: "" })
  expect(await on(true)).toEqual({ result: "done", text: "\r\u001b[KStarting 0 s\r\u001b[K" })
})

test("colours are used only in a terminal, and only if the user has not disabled them", () => {
  const write = () => {}
  const red = styleFor({ isTTY: true, write }, {})("red", "x")
  expect(red).toBe(`${ownSequence("\u001b[31m")}x${ownSequence("\u001b[39m")}`)
  expect(styleFor({ isTTY: true, write }, { NO_COLOR: "1" })("red", "x")).toBe("x")
  expect(styleFor({ write }, {})("red", "x")).toBe("x")
})
