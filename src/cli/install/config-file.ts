import { lstat, mkdir, readFile, rm } from "node:fs/promises"
import { dirname } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { HiveError } from "../../shared/error.ts"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"

export async function readConfigFile(file: string): Promise<string | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    const code = systemCode(error)
    const stats = await lstat(file).catch(() => undefined)
    if ((code === "ENOENT" || code === "ENOTDIR") && !stats?.isSymbolicLink()) return undefined
    throw unreadable(file, error)
  }
  try {
    // Decoding is strict, because invalid bytes would be lost when the file is written back.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw refuse(file, "The file is not UTF-8 text.", error)
  }
}

/** Writes the file; throws if its content is not `expected`. write-file-atomic follows links, and keeps mode and owner. */
export async function replaceConfigFile(
  file: string,
  expected: string | undefined,
  text: string,
): Promise<void> {
  await checkUnchanged(file, expected)
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFileAtomic(file, text)
  } catch (error) {
    throw explainWrite(error, `write ${file}`, file)
  }
}

export async function deleteConfigFile(file: string, expected: string): Promise<void> {
  await checkUnchanged(file, expected)
  try {
    await rm(file)
  } catch (error) {
    throw explainWrite(error, `delete ${file}`, file)
  }
}

/** Explains a failed write or delete. A system error that `explainSystemError` does not know becomes `not_writable`. */
export function explainWrite(error: unknown, doing: string, path: string): unknown {
  const explained = explainSystemError(error, doing, path)
  const code = systemCode(explained)
  if (explained instanceof HiveError || code === undefined) return explained
  const inTheWay = code === "ENOTDIR" || code === "EEXIST" || code === "EISDIR"
  return new HiveError(
    {
      code: "not_writable",
      what: `Could not ${doing}.`,
      why: inTheWay ? "A file is where a folder belongs, or the other way round." : String(explained),
      use_instead: `Look at ${path}, move what is in the way, then try again.`,
      evidence: `${code} on ${path}`,
    },
    { cause: error },
  )
}

async function checkUnchanged(file: string, expected: string | undefined): Promise<void> {
  if ((await readConfigFile(file)) === expected) return
  throw new HiveError({
    code: "conflict",
    what: `${file} has changed in the meantime.`,
    why: "Another program wrote to it after it was read, and that change would have been lost.",
    use_instead: "Run the command again.",
    evidence: file,
  })
}

function unreadable(file: string, error: unknown): unknown {
  const code = systemCode(error)
  if (code === "ENOENT" || code === "ELOOP") return refuse(file, "The file is a dangling link.", error)
  if (code === "EISDIR") return refuse(file, "The path is a folder.", error)
  return explainSystemError(error, `read ${file}`, file)
}

function refuse(file: string, why: string, cause: unknown): HiveError {
  return new HiveError(
    {
      code: "broken_config",
      what: `${file} cannot be read.`,
      why,
      use_instead: "Correct the file, then try again. It has not been touched.",
      evidence: file,
    },
    { cause },
  )
}
