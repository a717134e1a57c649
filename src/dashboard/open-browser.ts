import { spawn } from "node:child_process"

/** Opens an address in the user's browser. Errors are ignored, because the address is printed too. */
export function openBrowser(url: string): void {
  const opener = openerFor(process.platform, url)
  if (opener === undefined) return
  const { program, args, input } = opener
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], detached: true })
  child.on("error", () => {})
  child.stdin.on("error", () => {}) // The program may not read its input.
  child.stdin.end(input ?? "")
  child.unref()
}

interface Opener {
  program: string
  args: string[]
  input?: string
}

/**
 * The address holds a secret, and other users can read command lines on Linux and macOS. On Linux access.ts accepts this
 * address from the same user only; on macOS it is passed by standard input. Other systems get no browser.
 */
export function openerFor(platform: NodeJS.Platform, url: string): Opener | undefined {
  if (platform === "linux") return { program: "xdg-open", args: [url] }
  if (platform === "darwin")
    return { program: "osascript", args: ["-"], input: `open location ${JSON.stringify(url)}\n` }
  // Not by `cmd`, for which `&` in an address ends it.
  if (platform === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler", url] }
  return undefined
}
