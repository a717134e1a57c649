import { HiveError } from "./error.ts"

/** Turns an operating-system error on a path into one that says what to do; anything else is passed through. */
export function explainSystemError(error: unknown, doing: string, path: string): unknown {
  const code = systemCode(error)
  const evidence = `${code} on ${path}`
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
    return new HiveError(
      {
        code: "disk_full",
        what: `Could not ${doing}.`,
        why: "The disk is full (or its quota is used up). Nothing was lost; nothing was written.",
        use_instead: "Free some space, then try again.",
        evidence,
      },
      { cause: error },
    )
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new HiveError(
      {
        code: "not_writable",
        what: `Could not ${doing}.`,
        why: "The folder cannot be written by this user.",
        use_instead: `Make ${path} writable, then try again.`,
        evidence,
      },
      { cause: error },
    )
  }
  if (code === "ENOTDIR" || code === "EEXIST" || code === "EISDIR") {
    return new HiveError(
      {
        code: "not_writable",
        what: `Could not ${doing}.`,
        why: "There is a file where a folder should be, or the other way round.",
        use_instead: `Move what is at ${path} out of the way, then try again.`,
        evidence,
      },
      { cause: error },
    )
  }
  if (code !== undefined && SYSTEM_CODE.test(code)) {
    return new HiveError(
      {
        code: "not_writable",
        what: `Could not ${doing}.`,
        why: `The system refused it: ${error instanceof Error ? error.message : code}.`,
        use_instead: "Look at the disk, then try again.",
        evidence,
      },
      { cause: error },
    )
  }
  return error
}

export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

const SYSTEM_CODE = /^E[A-Z0-9]+$/
