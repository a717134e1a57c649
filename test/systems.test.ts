import { spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join, posix, win32 } from "node:path"
import { expect, it, vi } from "vitest"
import { pathScope } from "../src/gate/scopes-and-locks.ts"
import { insideOf, leadsOut, withSlashes } from "../src/project/project-path.ts"
import { endProcessTree } from "../src/shared/end-process.ts"
import { retryBusy } from "../src/shared/retry-busy.ts"
import { withoutHidden } from "../src/shared/text/clean.ts"
import { isAbsolutePath, isTemporary } from "../src/shared/well-known-folders.ts"
import { findBun } from "./support/bun.ts"
import { tempProject } from "./support/temp-project.ts"

it("a path of Windows is relative to the project with slashes; another drive and a folder beside it lead out", () => {
  const inside = (path: string) => insideOf("C:\\work\\shop", path, win32)
  expect(inside("C:\\work\\shop\\src\\a.ts")).toBe("src/a.ts")
  expect(inside("c:\\Work\\SHOP\\src\\a.ts")).toBe("src/a.ts")
  for (const path of ["C:\\work\\shop2\\a.ts", "D:\\work\\shop\\a.ts", "C:\\work", "\\\\server\\share\\a.ts"])
    expect(inside(path), path).toBeUndefined()
  expect(insideOf("/work/shop", "/work/shop2/a.ts", posix)).toBeUndefined()
  expect(leadsOut("..\\shop2", win32)).toBe(true)
  expect(withSlashes("C:\\a\\b", win32)).toBe("C:/a/b")
  expect(withSlashes("/a\\b", posix)).toBe("/a\\b")
})

it("a path on a drive is outside of every scope, unless it is temporary or named", async () => {
  expect(["C:/x", "/x", "c:/"].every(isAbsolutePath)).toBe(true)
  expect(["x/C:/y", "C:x", "src"].some(isAbsolutePath)).toBe(false)
  expect(isTemporary("C:/Users/Ada/AppData/Local/Temp/x/y.txt")).toBe(true)
  expect(isTemporary("C:/Users/Ada/AppData/Local/Temp/")).toBe(false)
  const isInScope = await pathScope({ build: ["**", "D:/notes/**"] })
  expect(isInScope("build", "src/a.ts")).toBe(true)
  expect(isInScope("build", "C:/Users/Ada/.ssh/config")).toBe(false)
  expect(isInScope("build", "D:/notes/today.md")).toBe(true)
  expect(isInScope("build", "C:/Users/Ada/AppData/Local/Temp/x.txt")).toBe(true)
})

it("retries a rename that Windows refuses for a moment, but no other error and on no other system", () => {
  const refusedTimes = (times: number, code: string) =>
    vi.fn(() => {
      if (times-- > 0) throw Object.assign(new Error(code), { code })
      return "done"
    })
  expect(retryBusy(refusedTimes(3, "EPERM"), "win32")).toBe("done")
  const missing = refusedTimes(1, "ENOENT")
  expect(() => retryBusy(missing, "win32")).toThrow("ENOENT")
  const refused = refusedTimes(1, "EPERM")
  expect(() => retryBusy(refused, "linux")).toThrow("EPERM")
  expect([missing, refused].map((each) => each.mock.calls.length)).toEqual([1, 1])
  const always = refusedTimes(Number.POSITIVE_INFINITY, "EBUSY")
  expect(() => retryBusy(always, "win32")).toThrow("EBUSY")
  expect(always.mock.calls.length).toBeGreaterThan(5)
})

it("Bun, in which OpenCode runs plugins, cleans a text like Node: an emoji keeps its joiners", () => {
  const text = "👩‍🚀 👨‍👩‍👧 ❤️‍🔥 👋🏽‍♀️ 1️⃣ می‌خواهم क्‍ष a\u200db\u202e\u0007"
  const file = join(import.meta.dirname, "..", "src", "shared", "text", "clean.ts")
  const script = `import { withoutHidden } from ${JSON.stringify(file)}; console.log(withoutHidden(${JSON.stringify(text)}))`
  const { stdout } = spawnSync(findBun(), ["-e", script], { encoding: "utf8" })
  expect(stdout).toBe(`${withoutHidden(text)}\n`)
  expect(stdout).toBe("👩‍🚀 👨‍👩‍👧 ❤️‍🔥 👋🏽‍♀️ 1️⃣ می‌خواهم क्‍ष ab\n")
})

// Bun passes on the environment that it was started with.
const hasOwnPath = process.platform !== "win32" && process.versions["bun"] === undefined
it.skipIf(!hasOwnPath)("on Windows, taskkill ends a process with its children", async () => {
  const folder = await tempProject()
  const program = join(folder, "taskkill")
  writeFileSync(program, `#!/bin/sh\necho "$@" > "${folder}/said"\n`)
  chmodSync(program, 0o755)
  process.env["PATH"] = `${folder}:${process.env["PATH"]}`
  endProcessTree(4_000_000, "SIGKILL", "win32")
  expect(readFileSync(join(folder, "said"), "utf8")).toBe("/pid 4000000 /t /f\n")
  // A process that is gone is no error.
  expect(() => endProcessTree(4_000_000, "SIGKILL", "linux")).not.toThrow()
})
