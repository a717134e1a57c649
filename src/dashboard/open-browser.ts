import { spawn } from "node:child_process"

/** Opens an address in the user's browser. Errors are ignored, because the address is printed too. */
export function openBrowser(url: string): void {
  const opener = openerFor(process.platform, url)
  if (opener === undefined) return
  const { program, args, input } = opener
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], detached: true })
  child.on("error", () => {})
  child.stdin.on("error", () => {}) // The program may close its stdin.
  child.stdin.end(input ?? "")
  child.unref()
}

/** Other users can read a command line, and the address has a secret: macOS gets it by stdin, on Linux `access.ts` checks. */
export function openerFor(platform: NodeJS.Platform, url: string) {
  if (platform === "linux") return { program: "xdg-open", args: [url] }
  if (platform === "darwin")
    return { program: "osascript", args: ["-"], input: `open location ${JSON.stringify(url)}\n` }
  // `cmd /c start` would cut the address off at an `&`.
  if (platform === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler", url] }
  return undefined
}
