import { spawn } from "node:child_process"

/** Shows an address in the user's browser. Where that cannot be done, nothing happens: the address is told all the same. */
export function openBrowser(url: string): void {
  const opener = openerFor(process.platform, url)
  if (opener === undefined) return
  const { program, args, input } = opener
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], detached: true })
  child.on("error", () => {})
  child.stdin.on("error", () => {}) // It reads nothing.
  child.stdin.end(input ?? "")
  child.unref()
}

interface Opener {
  program: string
  args: string[]
  input?: string
}

/**
 * The secret is in the address. On Linux everybody sees what is on a command line: there only a program of this user gets in
 * with it (user-of-peer.ts). macOS shows it too, so that it is told by another way; Windows does not. Elsewhere nobody opens.
 */
export function openerFor(platform: NodeJS.Platform, url: string): Opener | undefined {
  if (platform === "linux") return { program: "xdg-open", args: [url] }
  if (platform === "darwin")
    return { program: "osascript", args: ["-"], input: `open location ${JSON.stringify(url)}\n` }
  // Not by `cmd`, for which `&` in an address ends it.
  if (platform === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler", url] }
  return undefined
}
