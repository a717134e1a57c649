import { lstat, mkdir, readFile, rm } from "node:fs/promises"
import { dirname } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { HiveError } from "../../shared/error.ts"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"

/** A config's text, byte-order mark included, or undefined if there is no such file. */
export async function readConfigFile(file: string): Promise<string | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    const code = systemCode(error)
    if ((code === "ENOENT" || code === "ENOTDIR") && !(await isDanglingLink(file))) return undefined
    throw unreadable(file, error)
  }
  try {
    // Strict, because a text that cannot be decoded exactly could not be written back exactly.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw refuse(file, "It is not UTF-8 text.", error)
  }
}

/**
 * Puts `text` in place of what the file held when it was read (`expected`, undefined for "no file"), at once or
 * not at all. A link is followed, and mode and owner are kept; both are write-file-atomic's doing.
 */
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

/** As explainSystemError, and any other complaint of the system counts as "not writable" too. */
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

/** A person may take a while to answer a question, and change the file meanwhile. */
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

async function isDanglingLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
}

function unreadable(file: string, error: unknown): unknown {
  const code = systemCode(error)
  if (code === "ENOENT" || code === "ELOOP") return refuse(file, "It is a link that leads nowhere.", error)
  if (code === "EISDIR") return refuse(file, "It is a folder.", error)
  return explainSystemError(error, `read ${file}`, file)
}

function refuse(file: string, why: string, cause: unknown): HiveError {
  return new HiveError(
    {
      code: "broken_config",
      what: `${file} cannot be read.`,
      why,
      use_instead: "Correct it, then try again. It has not been touched.",
      evidence: file,
    },
    { cause },
  )
}
