import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"

/** A script in its own process that reads lines and answers each with one; gone when the test is over. */
export function lineProcess(script: string, ...args: string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    go: (line: string) => child.stdin.write(`${line}\n`),
    next: async () => (await lines.next()).value as string,
  }
}
