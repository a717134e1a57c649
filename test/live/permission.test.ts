import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { bash, call, calls, hive, say, update } from "./bed/steps.ts"

const shell = (command: string) => call("hivemind_shell", { command })

describe("the user's rules for bash", () => {
  it("a denied pattern is found in chains, pipes and substitutions; what is allowed runs", async () => {
    await using bed = await openBed({ config: { permission: { bash: { "*": "allow", "touch *": "deny" } } } })
    const chain = "echo a.txt | xargs -n1 echo; touch a.txt"
    const hidden = ["true && touch a.txt", chain, 'echo "$(touch a.txt)"']
    const steps = [calls(...hidden.map(shell)), shell("echo fine > b.txt")]
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", ...steps)
    expect(toolCalls.map(({ status }) => status)).toEqual(["error", "error", "error", "completed"])
    expect(toolCalls[0]?.error).toContain("rule")
    expect(existsSync(join(bed.project, "a.txt"))).toBe(false)
    expect(existsSync(join(bed.project, "b.txt"))).toBe(true)
  })

  it("a command that needs permission waits for the user, and runs once they agree", async () => {
    await using bed = await openBed({ config: { permission: { bash: "ask" } } })
    const session = await bed.newSession("s")
    const command = "cd . && touch made.txt"
    bed.model.script(shell(command))
    await bed.start(session, "Go")
    const asked = await question(bed)
    expect(asked).toMatchObject({ permission: "bash", patterns: ["touch made.txt"], metadata: { command } })
    expect(existsSync(join(bed.project, "made.txt"))).toBe(false)
    await reply(bed, session.id, asked.id, "once")
    await bed.waitForEvent("session.idle")
    expect(existsSync(join(bed.project, "made.txt"))).toBe(true)
  })

  it("a user's refusal ends the turn as it does for bash, and nothing has run", async () => {
    await using bed = await openBed({ config: { permission: { bash: "ask" } } })
    const session = await bed.newSession("s")
    const asked: number[] = []
    for (const step of [bash("touch made.txt"), shell("touch made.txt")]) {
      bed.model.reset()
      bed.model.script(step, say("not to be said"))
      await bed.start(session, "Go")
      await reply(bed, session.id, (await question(bed)).id, "reject")
      await bed.waitForEvent("session.idle")
      asked.push(bed.model.requests.length)
    }
    expect(asked[1]).toBe(asked[0])
    expect(existsSync(join(bed.project, "made.txt"))).toBe(false)
  })
})

it("a session's own denials hold for its researcher and for the session that continues it", async () => {
  await using bed = await openBed({ hive: true, pluginOptions: { split: "ask" } })
  const rules = [{ permission: "bash", pattern: "*", action: "deny" }]
  const body = { title: "denied", permission: rules } as object
  const { data: session } = await bed.client.session.create({ body })
  const id = session?.id ?? ""
  const steps = [update("action", "Look"), hive("delegate research", { question: "Why?" })]
  bed.model.script({ session: id }, ...steps)
  await bed.prompt({ id }, "Go")
  await bed.command({ id }, "hive-split")
  const { properties } = await bed.waitForEvent("tui.session.select")
  const { data: made = [] } = await bed.client.session.list()
  const others = made.filter((each) => each.id !== id)
  expect(others.map((each) => each.id)).toContain(properties["sessionID"])
  expect(others).toHaveLength(2)
  for (const other of others) expect(other).toMatchObject({ permission: expect.arrayContaining(rules) })
})

async function question(bed: Bed) {
  const { properties } = await bed.waitForEvent("permission.asked")
  return properties as { id: string }
}

async function reply(bed: Bed, id: string, permissionID: string, response: "once" | "reject"): Promise<void> {
  await bed.client.postSessionIdPermissionsPermissionId({ path: { id, permissionID }, body: { response } })
}
