import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { endOnExit } from "../scratch.ts"

export interface Served {
  /** Opens the page once. */
  url: string
  stop: () => void
}

/** `hivemind dashboard` of a project, as people start it. */
export async function serve(project: string, stateHome: string): Promise<Served> {
  const child = spawn(process.execPath, [CLI, "dashboard", "--no-open", "--json", "--dir", project], {
    env: { PATH: process.env["PATH"], HOME: stateHome, XDG_STATE_HOME: stateHome },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const forget = endOnExit(child.pid)
  const { url }: { url: string } = JSON.parse(await firstLine(child))
  return {
    url,
    stop: () => {
      child.kill()
      forget()
    },
  }
}

/** Asks for the heavy views again and again until it is told to stop, as several pages that follow every change would. */
export async function askOn(url: string, plan: string): Promise<{ stop: () => Promise<number> }> {
  const entered = await fetch(url, { redirect: "manual" })
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? ""
  const views = ["now", `plan?id=${plan}`, "memory?q=harbour", "timeline", "health"]
  let isOver = false
  let asked = 0
  const asking = (async () => {
    while (!isOver) {
      const view = new URL(`/api/${views[asked++ % views.length]}`, url)
      await (await fetch(view, { headers: { cookie } })).arrayBuffer()
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await asking
      return asked
    },
  }
}

/** Processes that keep two processors busy, as the server and who asks it do, and read nothing. */
export function keepBusy(): { stop: () => void } {
  const others = [1, 2].map(() => {
    const child = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" })
    return { child, forget: endOnExit(child.pid) }
  })
  return {
    stop: () => {
      for (const { child, forget } of others) {
        child.kill("SIGKILL")
        forget()
      }
    },
  }
}

function firstLine({ stdout, exitCode }: ChildProcess): Promise<string> {
  let out = ""
  return new Promise((resolve, reject) => {
    stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text
      if (out.includes("\n")) resolve(out)
    })
    stdout?.on("end", () => reject(new Error(`the dashboard ended: ${exitCode}`)))
  })
}

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
