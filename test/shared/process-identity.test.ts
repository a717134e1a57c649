import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../../src/shared/process-identity.ts"

const over = spawnSync(process.execPath, ["--version"]).pid

it("knows itself, one that is there, one that is over, and one that had the same id before", () => {
  expect(stateOfProcess(thisProcess)).toBe("alive")
  expect(stateOfProcess({ ...thisProcess, pid: process.ppid, token: "x" })).toBe("alive")
  expect(stateOfProcess({ ...thisProcess, pid: over, token: "x" })).toBe("dead")
  expect(stateOfProcess({ ...thisProcess, token: "x" })).toBe("dead")
})

it("does not judge one of another machine or container by an id that means another process here", () => {
  for (const pid of [over, process.pid, process.ppid])
    expect(stateOfProcess({ host: "elsewhere", pid, token: "x" })).toBe("unknown")
})

const unshare = (script: string) =>
  spawnSync("unshare", ["-Urpf", "--mount-proc", process.execPath, "--input-type=module", "-e", script], {
    encoding: "utf8",
  })
const canUnshare = unshare("").status === 0

it.skipIf(!canUnshare)("does not judge one of another container that has the same name", () => {
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

it("is read back from its text, with further words; other text is no identity", () => {
  expect(identityIn(`${identityText(thisProcess)} 12 ses_1`)).toEqual({
    ...thisProcess,
    rest: ["12", "ses_1"],
  })
  for (const text of ["", "12 1000", "host x token", "host 0 token", "host 12"])
    expect(identityIn(text), text).toBeUndefined()
})
