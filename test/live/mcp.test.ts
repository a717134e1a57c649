import { expect, it } from "vitest"
import { mcpClient } from "../support/mcp-client.ts"
import { openBed } from "./bed/bed.ts"
import { call, calls } from "./bed/steps.ts"

it("two clients over MCP and OpenCode write at once: nothing is lost, and each is in the log under its name", async () => {
  await using bed = await openBed({ hive: true, git: true })
  const clients = await Promise.all(
    ["claude-code", "cursor"].map((name) => mcpClient({ name, cwd: bed.project })),
  )
  const save = (who: string, n: number) => ({ action: "save", content: `${who} fact ${n}`, kind: "fact" })
  const steps = [0, 10, 20].map((from) =>
    calls(...Array.from({ length: 10 }, (_, n) => call("hivemind_memory", save("build", from + n)))),
  )
  const session = await bed.newSession("at once")
  const [claude, cursor] = clients
  const writes = async (client: (typeof clients)[number] | undefined, who: string) => {
    for (let n = 0; n < 30; n++) await client?.call("memory", save(who, n))
  }
  await Promise.all([
    bed.prompt(session, "Save what you find", ...steps),
    writes(claude, "claude-code"),
    writes(cursor, "cursor"),
  ])

  const saved = bed.all("mem").filter(({ origin }) => origin === "saved")
  for (const who of ["build", "claude-code", "cursor"])
    expect(saved.filter(({ content }) => content.startsWith(who))).toHaveLength(30)
  const log = bed.cli("log", "--limit", "500")
  for (const who of ["claude-code", "cursor"]) expect(log).toContain(who)

  // A decision of one agent is told to the others.
  const content = "We chose Postgres over MySQL because of its partial indexes"
  await claude?.call("memory", { action: "save", content, kind: "decision" })
  await bed.prompt(session, "Why did we choose Postgres?")
  expect(JSON.stringify(bed.model.requests.at(-1)?.body)).toContain("partial indexes")
})
