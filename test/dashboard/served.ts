import { type IncomingHttpHeaders, request } from "node:http"
import { expect, onTestFinished } from "vitest"
import { type Dashboard, serveDashboard } from "../../src/dashboard/serve.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import { tempProject } from "../support/temp-project.ts"

export const OPEN = { source: systemSource, userConfig: null, options: { name: "a test", value: undefined } }

export async function served(now: () => number = () => 0, pastSessions?: () => Promise<string | null>) {
  const project = await tempProject()
  await createLayout(project)
  const { hive } = await openHiveIn(project, OPEN)
  const failed: unknown[] = []
  const dashboard = await serveDashboard({
    now,
    hive,
    ...(pastSessions !== undefined && { pastSessions }),
    doctor: async () => ({ checks: [{ name: "folder", level: "ok", found: [project], mend: null }] }),
    onError: (error) => failed.push(error),
  })
  onTestFinished(async () => {
    await dashboard.close()
    await hive.store.close()
    expect(failed).toEqual([])
  })
  const invitation = addressOf(dashboard.invite().url)
  const { headers } = await ask(dashboard, addressOf(dashboard.invite().url).path)
  const cookie = cookieOf(headers)
  return {
    ...{ dashboard, project, invitation, cookie },
    get: async (path: string) => JSON.parse((await ask(dashboard, path, { cookie })).body),
    post: (body: unknown, own: Record<string, string> = { "x-hivemind": "1" }) => {
      const text = typeof body === "string" ? body : JSON.stringify(body)
      return ask(dashboard, "/api/commands", { cookie, ...own }, "POST", text)
    },
  }
}

export function addressOf(url: string): { path: string } {
  const { pathname, search } = new URL(url)
  return { path: `${pathname}${search}` }
}

export function cookieOf(headers: IncomingHttpHeaders): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
}

/** As any program could ask: a browser would not let a page choose all of these headers. */
export function ask(
  { port, base }: Dashboard,
  asked: string,
  headers: Record<string, string> = {},
  method = "GET",
  body = "",
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }> {
  const path = asked.startsWith("/api/") ? `${base}${asked.slice(1)}` : asked
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      let heard = ""
      answer.setEncoding("utf8").on("data", (text: string) => (heard += text))
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: heard }))
    })
    asking.on("error", reject).end(body)
  })
}
