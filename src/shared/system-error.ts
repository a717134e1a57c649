import { type ErrorCode, HiveError } from "./error.ts"

/** Turns a system error into a HiveError. `doing` says what failed: "read the log", "write to the log". */
export function explainSystemError(error: unknown, doing: string, path: string): unknown {
  const code = systemCode(error)
  if (code === undefined || !SYSTEM_CODE.test(code)) return error
  const isReading = /^read\b/.test(doing)
  const { why, use_instead, is } = reasonFor(code, error, path, isReading)
  const evidence = `${code} on ${path}`
  const what = `Could not ${doing}.`
  return new HiveError(
    { code: is ?? (isReading ? "not_readable" : "not_writable"), what, why, use_instead, evidence },
    { cause: error },
  )
}

type Reason = Pick<HiveError, "why" | "use_instead"> & { is?: ErrorCode }

function reasonFor(code: string, error: unknown, path: string, isReading: boolean): Reason {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return {
        is: "disk_full",
        why: "The disk is full (or its quota is used up). Nothing was lost; nothing was written.",
        use_instead: "Free some space, then try again.",
      }
    case "EROFS":
      return {
        why: "The file system is mounted read-only. Permissions are not the reason.",
        use_instead: "Remount it writable, or work on a copy of the project elsewhere. Reading still works.",
      }
    case "EACCES":
    case "EPERM":
      return {
        why: isReading
          ? "This user is not allowed to read it."
          : "This user is not allowed to write to the folder.",
        use_instead: `Make ${path} ${isReading ? "readable" : "writable"}, then try again.`,
      }
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
      return {
        why: "There is a file where a folder should be, or the other way round.",
        use_instead: `Move the file or folder at ${path} out of the way, then try again.`,
      }
    default:
      return {
        why: `The operating system reported an error: ${error instanceof Error ? error.message : code}.`,
        use_instead: "Check the disk, then try again.",
      }
  }
}

export function failureReason(error: unknown): string {
  return error instanceof HiveError ? error.why : (systemCode(error) ?? "unknown")
}

export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

export function isDenied(error: unknown): boolean {
  return systemCode(error) === "EACCES" || systemCode(error) === "EPERM"
}

const SYSTEM_CODE = /^E[A-Z0-9]+$/
