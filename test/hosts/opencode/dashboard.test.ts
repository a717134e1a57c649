import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openHive } from "../../../src/api.ts"
import type { Runtime } from "../../../src/dashboard/own-process.ts"
import { hostDashboard } from "../../../src/hosts/opencode/dashboard.ts"
import { createLayout } from "../../../src/store/files/layout.ts"
import { findBun } from "../../support/bun.ts"
import { tempProject } from "../../support/temp-project.ts"

it("heavy views do not hold the host: they are answered by another process, and only without a runtime by the host", async () => {
  const project = await largeProject()
  const beside = await shown(project)
  const spentBeside = await spentHere(beside.addresses())
  expect(beside.toasts[0]).toMatch(/^The dashboard is open in your browser\. Or: http:/)

  const inside = await shown(project, [{ program: join(project, "no-such-program"), env: {} }])
  const spentInside = await spentHere(inside.addresses())
  expect(inside.toasts[0]).toContain("served by OpenCode itself, because neither node nor bun")
  expect(inside.logged).toContain("dashboard")
  // Whatever the machine: the same questions, a small part of the time.
  expect(spentBeside).toBeLessThan(spentInside / 5)
}, 60_000)

it("it is found by the second call, has a fresh address for the reader, and ends with the host", async () => {
  const project = await tempProject()
  await createLayout(project)
  // As in OpenCode: its own program runs plain Bun.
  const { urls, addresses, show, close, state } = await shown(project, [{ program: findBun(), env: {} }])
  await show()
  const [first, second] = urls.map((url) => new URL(url))
  expect(second?.port).toBe(first?.port)
  expect(new Set(addresses()).size).toBe(4)
  for (const url of addresses()) expect((await fetch(url, { redirect: "manual" })).status).toBe(303)
  await close()
  await expect.poll(() => existsSync(state), { timeout: 20_000 }).toBe(false)
})

it("it ends with a host that is killed", async () => {
  const project = await tempProject()
  await createLayout(project)
  const state = await tempProject()
  const script = `
    import { startOwnProcess } from ${JSON.stringify(new URL("../../../build/dashboard/own-process.js", import.meta.url).href)}
    await startOwnProcess({ dir: ${JSON.stringify(project)}, env: process.env, onError: console.error })
    console.log("started")
    setInterval(() => {}, 1000)`
  const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, XDG_STATE_HOME: state },
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void host.kill("SIGKILL"))
  await once(host.stdout, "data")
  const file = join(state, "hivemind", "dashboard.json")
  const { port } = JSON.parse(readFileSync(file, "utf8"))
  await fetch(`http://127.0.0.1:${port}/`)
  host.kill("SIGKILL")
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => "answers",
          () => "gone",
        ),
      { timeout: 20_000 },
    )
    .toBe("gone")
})

async function shown(project: string, runtimes?: Runtime[]) {
  const stateHome = await tempProject()
  const urls: string[] = []
  const toasts: string[] = []
  const logged: string[] = []
  const { show, close } = hostDashboard({
    directory: project,
    userConfig: join(stateHome, "none.json"),
    env: { ...process.env, XDG_STATE_HOME: stateHome },
    home: stateHome,
    toast: async (message) => void toasts.push(message),
    log: (_level, what) => void logged.push(what),
    open: (url) => void urls.push(url),
    ...(runtimes && { runtimes }),
  })
  onTestFinished(close)
  await show()
  /** Each opens the page once: what the browser was given, and what the reader was told. */
  const addresses = () => [...urls, ...toasts.map((text) => text.slice(text.indexOf("http:")))]
  return {
    urls,
    addresses,
    toasts,
    logged,
    show,
    close,
    state: join(stateHome, "hivemind", "dashboard.json"),
  }
}

async function largeProject(): Promise<string> {
  const project = await tempProject()
  await createLayout(project)
  const hive = await openHive(project)
  const tasks = Array.from({ length: 50 }, (_, at) => ({ title: `Task ${at}`, expected_output: "done" }))
  for (let at = 0; at < 5; at++) await hive.plans.create({ title: `Plan ${at}`, acceptance: ["done"], tasks })
  await hive.close()
  return project
}

/** As a browser does, in a process of its own. */
async function askForViews(url: string): Promise<void> {
  const script = `
    const entered = await fetch(${JSON.stringify(url)}, { redirect: "manual" })
    const headers = { cookie: entered.headers.get("set-cookie").split(";")[0] }
    for (let at = 0; at < 8; at++)
      for (const view of ["now", "plans", "timeline"])
        if (!(await fetch(new URL("api/" + view, new URL(entered.headers.get("location"), entered.url)), { headers })).ok) throw new Error(view)`
  const asking = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" })
  const [code] = await once(asking, "exit")
  expect(code).toBe(0)
}

/** The processor time of this process alone, the best of some visits: what else it had to do does not count. */
async function spentHere(addresses: string[]): Promise<number> {
  const times: number[] = []
  for (const url of addresses) {
    const before = process.cpuUsage()
    await askForViews(url)
    const { user, system } = process.cpuUsage(before)
    times.push(user + system)
  }
  return Math.min(...times)
}
