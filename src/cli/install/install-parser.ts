import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { PACKAGE, parserIn } from "../../project/codemap/parser.ts"

/** Installs the parser into its own folder with the user's npm. Returns null on success, else the reason. */
export async function installParser(folder: string, what = `${PACKAGE}@${RANGE}`): Promise<string | null> {
  mkdirSync(folder, { recursive: true })
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", what]
  // On Windows npm is a script that only a shell can start, and nothing quotes its arguments there.
  const shell = process.platform === "win32"
  const words = shell ? args.map((word) => `"${word}"`) : args
  const failure = await new Promise<string | null>((resolve) => {
    execFile("npm", words, { timeout: 300_000, shell, windowsHide: true }, (error, _, stderr) =>
      resolve(error === null ? null : stderr.trim().split("\n").slice(-2).join(" ") || error.message),
    )
  })
  if (failure !== null) return failure
  return (await parserIn(folder)) === undefined ? "the parser does not run on this system" : null
}

const RANGE = ">=0.155 <1"
