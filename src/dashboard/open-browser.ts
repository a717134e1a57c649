import { spawn } from "node:child_process"

/** Shows an address in the user's browser. Where there is none, nothing happens: the address is told all the same. */
export function openBrowser(url: string): void {
  const [command = "xdg-open", ...args] = OPENERS[process.platform] ?? []
  const opener = spawn(command, [...args, url], { stdio: "ignore", detached: true })
  opener.on("error", () => {})
  opener.unref()
}

const OPENERS: Readonly<Record<string, string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
}
