import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../../src/shared/process-identity.ts"

const over = spawnSync(process.execPath, ["--version"]).pid

it("recognises itself, a running process, one that has ended, and one whose pid was reused", () => {
  expect(stateOfProcess(thisProcess)).toBe("alive")
  expect(stateOfProcess({ ...thisProcess, pid: process.ppid, token: "x" })).toBe("alive")
  expect(stateOfProcess({ ...thisProcess, pid: over, token: "x" })).toBe("dead")
  expect(stateOfProcess({ ...thisProcess, token: "x" })).toBe("dead")
})

it("does not judge a process of another machine or container by its pid", () => {
  for (const pid of [over, process.pid, process.ppid])
    expect(stateOfProcess({ host: "elsewhere", pid, token: "x" })).toBe("unknown")
})

const unshare = (script: string) =>
  spawnSync("unshare", ["-Urpf", "--mount-proc", process.execPath, "--input-type=module", "-e", script], {
    encoding: "utf8",
  })
const canUnshare = unshare("").status === 0

it.skipIf(!canUnshare)("does not judge a process of another container with the same host name", () => {
  const file = JSON.stringify(new URL("../../build/shared/process-identity.js", import.meta.url).href)
  const inside = (expression: string) => {
    const { stdout } = unshare(`const p = await import(${file}); console.log(JSON.stringify(${expression}))`)
    return JSON.parse(stdout)
  }
  const other = inside("p.thisProcess")
  expect(other.host).not.toBe(thisProcess.host)
  expect(stateOfProcess(other)).toBe("unknown")
  expect(inside(`p.stateOfProcess(${JSON.stringify({ ...thisProcess, pid: over })})`)).toBe("unknown")
  expect(inside("p.stateOfProcess({ ...p.thisProcess, token: 'x' })")).toBe("dead")
})

it("is parsed from its text, with the words after it; other text gives undefined", () => {
  const read = identityIn(`${identityText(thisProcess)} 12 ses_1`)
  expect(read).toEqual({ ...thisProcess, rest: ["12", "ses_1"] })
  for (const text of ["", "12 1000", "host x token", "host 0 token", "host 12"])
    expect(identityIn(text), text).toBeUndefined()
})
