import { expect, test } from "vitest"
import { withProgress } from "../../src/cli/terminal/progress.ts"
import { styleFor } from "../../src/cli/terminal/style.ts"
import { byteSize, counted } from "../../src/shared/amounts.ts"
import { duration, localTime } from "../../src/shared/time.ts"

test("counts agree with their nouns", () => {
  expect([counted(0, "plan"), counted(1, "plan"), counted(2, "entry", "entries")]).toEqual([
    "0 plans",
    "1 plan",
    "2 entries",
  ])
})

test.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KB"],
  [150 * 1024, "150 KB"],
  [1.5 * 1024 ** 3, "1.5 GB"],
  [5 * 1024 ** 5, "5120 TB"],
])("%d is %s", (bytes, text) => expect(byteSize(bytes)).toBe(text))

test.each([
  [-5, "0 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [7_200_000, "2 h"],
  [172_800_000, "2 days"],
])("%d ms are %s", (ms, text) => expect(duration(ms)).toBe(text))

test("a time is local and sorts", () => {
  expect(localTime(new Date(2026, 1, 11, 14, 30, 5).getTime())).toBe("2026-02-11 14:30:05")
})

test("progress is for a terminal only, and cleans up after itself", async () => {
  const on = (isTTY: boolean) => {
    let text = ""
    const stderr = { isTTY, write: (more: string) => (text += more) }
    const io = { cwd: "/", home: "/", env: {}, stdin: {}, stdout: stderr, stderr }
    return withProgress("Starting", io, async () => "done").then((result) => ({ result, text }))
  }
  expect(await on(false)).toEqual({ result: "done", text: "" })
  expect(await on(true)).toEqual({ result: "done", text: "\rStarting 0 s\r\u001b[K" })
})

test("colours are for a terminal whose owner wants them", () => {
  const write = () => {}
  expect(styleFor({ isTTY: true, write }, {})("red", "x")).toBe("\u001b[31mx\u001b[39m")
  expect(styleFor({ isTTY: true, write }, { NO_COLOR: "1" })("red", "x")).toBe("x")
  expect(styleFor({ write }, {})("red", "x")).toBe("x")
})
