import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { PACKAGE, parserIn } from "../../project/codemap/parser.ts"

/** Installs the parser into a folder of its own with the user's npm. Null if it can be used from there, else why not. */
export async function installParser(folder: string, what = `${PACKAGE}@${RANGE}`): Promise<string | null> {
  mkdirSync(folder, { recursive: true })
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", what]
  // On Windows it is a script, which only a shell starts; there the words are not quoted for it.
  const shell = process.platform === "win32"
  const words = shell ? args.map((word) => `"${word}"`) : args
  const failure = await new Promise<string | null>((resolve) => {
    execFile("npm", words, { timeout: LIMIT_MS, shell, windowsHide: true }, (error, _, stderr) =>
      resolve(error === null ? null : stderr.trim().split("\n").slice(-2).join(" ") || error.message),
    )
  })
  if (failure !== null) return failure
  return (await parserIn(folder)) === undefined ? "it does not run on this system" : null
}

const RANGE = ">=0.155 <1"
const LIMIT_MS = 300_000
