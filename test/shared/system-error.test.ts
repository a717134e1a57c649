import { describe, expect, it } from "vitest"
import { HiveError } from "../../src/shared/error.ts"
import { explainSystemError, failureReason } from "../../src/shared/system-error.ts"

const system = (code: string) => Object.assign(new Error(`${code}: refused`), { code })
const explained = (code: string, doing: string) =>
  explainSystemError(system(code), doing, "/p/x") as HiveError

describe("an error of the operating system", () => {
  it.each([
    ["EACCES", "read the queue", "not_readable", /not allowed to read/, /Make \/p\/x readable/],
    ["EPERM", "read a file", "not_readable", /not allowed to read/, /readable/],
    ["EACCES", "write a file", "not_writable", /not allowed to write to the folder/, /Make \/p\/x writable/],
    ["EROFS", "write a file", "not_writable", /mounted read-only/, /Remount it/],
    ["EROFS", "take the lock", "not_writable", /Permissions are not the reason/, /copy of the project/],
    ["ENOSPC", "write a file", "disk_full", /disk is full/, /Free some space/],
    ["EDQUOT", "fold the graph", "disk_full", /quota/, /Free some space/],
    ["EISDIR", "read the graph", "not_readable", /a file where a folder should be/, /out of the way/],
    ["ENOTDIR", "make a folder", "not_writable", /a file where a folder should be/, /out of the way/],
    ["EIO", "read the log", "not_readable", /EIO: refused/, /Check the disk/],
    ["EIO", "write to the log", "not_writable", /EIO: refused/, /Check the disk/],
    ["EMFILE", "read a file", "not_readable", /EMFILE: refused/, /Check the disk/],
  ])("%s while trying to %s is %s", (code, doing, is, why, instead) => {
    const error = explained(code, doing)
    expect(error).toBeInstanceOf(HiveError)
    expect(error).toMatchObject({ code: is, what: `Could not ${doing}.`, evidence: `${code} on /p/x` })
    expect(error.why).toMatch(why)
    expect(error.use_instead).toMatch(instead)
  })

  it("does not mention writing after a failed read", () => {
    for (const code of ["EACCES", "EPERM", "EIO", "EISDIR", "ENOTDIR", "EMFILE"]) {
      const { what, why, use_instead } = explained(code, "read the log")
      expect(`${what} ${why} ${use_instead}`).not.toMatch(/writ/)
    }
  })

  it("returns other errors unchanged", () => {
    const refusal = { code: "locked", what: "", why: "busy", use_instead: "", evidence: "" } as const
    for (const error of [new Error("x"), new HiveError(refusal)])
      expect(explainSystemError(error, "read a file", "/p/x")).toBe(error)
    expect(failureReason(system("EACCES"))).toBe("EACCES")
  })
})
