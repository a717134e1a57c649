import { spawn } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import type { Runtime } from "../../../src/dashboard/own-process.ts"
import { hostDashboard } from "../../../src/hosts/opencode/dashboard.ts"
import { createLayout } from "../../../src/store/files/layout.ts"
import { findBun } from "../../support/bun.ts"
import { tempProject } from "../../support/temp-project.ts"

it("views are answered by another process; without a program to run it a toast says that it cannot be shown", async () => {
  const project = await tempProject()
  await createLayout(project)
  const beside = await shown(project)
  expect(beside.toasts[0]).toMatch(/^The dashboard is open in your browser\. Its address: http:/)
  expect(await answeredHere(beside.urls[0])).toBe(0)

  const none = await shown(project, [{ program: join(project, "no-such-program"), env: {} }])
  expect(none.toasts[0]).toContain("could not be shown")
  expect(none.logged).toContain("the dashboard could not be shown")
})

it("a second call has fresh addresses of the same process, which ends with the host", async () => {
  const project = await tempProject()
  await createLayout(project)
  // As in OpenCode: its own program runs plain Bun.
  const { urls, addresses, show, close } = await shown(project, [{ program: findBun(), env: {} }])
  await show()
  const [first, second] = urls.map((url) => new URL(url))
  expect(second?.port).toBe(first?.port)
  expect(new Set(addresses()).size).toBe(4)
  for (const url of addresses()) expect((await fetch(url, { redirect: "manual" })).status).toBe(303)
  close()
  await expect.poll(() => isGone(first?.origin ?? "")).toBe(true)
})

it("the dashboard ends if the host is killed", async () => {
  const project = await tempProject()
  await createLayout(project)
  const script = `
    import { startOwnProcess } from ${JSON.stringify(new URL("../../../build/dashboard/own-process.js", import.meta.url).href)}
    const { first } = await startOwnProcess({ dir: ${JSON.stringify(project)}, env: process.env, onError: console.error })
    console.log(first.url)
    setInterval(() => {}, 1000)`
  const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void host.kill("SIGKILL"))
  const [printed] = await once(host.stdout, "data")
  const { origin } = new URL(String(printed).trim())
  await fetch(origin)
  host.kill("SIGKILL")
  await expect.poll(() => isGone(origin)).toBe(true)
})

function isGone(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => false,
    () => true,
  )
}

async function shown(project: string, runtimes?: Runtime[]) {
  const urls: string[] = []
  const toasts: string[] = []
  const logged: string[] = []
  const { show, close } = hostDashboard({
    directory: project,
    env: process.env,
    toast: async (message) => void toasts.push(message),
    log: (_level, what) => void logged.push(what),
    open: (url) => void urls.push(url),
    ...(runtimes && { runtimes }),
  })
  onTestFinished(close)
  await show()
  const addresses = () => [...urls, ...toasts.map((text) => text.slice(text.indexOf("http:")))]
  return { urls, addresses, toasts, logged, show, close }
}

async function answeredHere(url = ""): Promise<number> {
  let count = 0
  const onRequest = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    if (request.headers.host === new URL(url).host) count++
  }
  subscribe("http.server.request.start", onRequest)
  onTestFinished(() => void unsubscribe("http.server.request.start", onRequest))
  const entered = await fetch(url, { redirect: "manual" })
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? ""
  const page = new URL(entered.headers.get("location") ?? "", url)
  for (const view of VIEWS)
    expect((await fetch(new URL(`api/${view}`, page), { headers: { cookie } })).status, view).toBe(200)
  return count
}

const VIEWS = ["now", "plans", "timeline"]
