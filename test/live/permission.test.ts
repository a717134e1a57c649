import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, calls, hive, say, update } from "./bed/steps.ts"

const shell = (command: string) => call("hivemind_shell", { command })

describe("the user's rules for bash", () => {
  it("a denied pattern is found in chains, pipes and substitutions; what is allowed runs", async () => {
    await using bed = await openBed({
      config: { permission: { bash: { "*": "allow", "touch *": "deny" } } },
    })
    const hidden = [
      "true && touch a.txt",
      "echo a.txt | xargs -n1 echo; touch a.txt",
      'echo "$(touch a.txt)"',
    ]
    bed.model.script(calls(...hidden.map(shell)), shell("echo fine > b.txt"), say("ok"))
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
    expect(toolCalls.map(({ status }) => status)).toEqual(["error", "error", "error", "completed"])
    expect(toolCalls[0]?.error).toContain("rule")
    expect(existsSync(join(bed.project, "a.txt"))).toBe(false)
    expect(existsSync(join(bed.project, "b.txt"))).toBe(true)
  })

  it("asked about, the command waits for the user, and runs once they agree", async () => {
    await using bed = await openBed({ config: { permission: { bash: "ask" } } })
    const session = await bed.newSession("s")
    bed.model.script(shell("cd . && touch made.txt"), say("ok"))
    await bed.start(session, "Go")
    const { id, permission, patterns, metadata } = await question(bed)
    expect({ permission, patterns, metadata }).toMatchObject({
      permission: "bash",
      patterns: ["touch made.txt"],
      metadata: { command: "cd . && touch made.txt" },
    })
    expect(existsSync(join(bed.project, "made.txt"))).toBe(false)
    await reply(bed, session.id, id, "once")
    await bed.waitForEvent("session.idle")
    expect(existsSync(join(bed.project, "made.txt"))).toBe(true)
  })

  it("a user's no ends the turn as it does for bash, and nothing has run", async () => {
    await using bed = await openBed({ config: { permission: { bash: "ask" } } })
    const session = await bed.newSession("s")
    const asked: number[] = []
    for (const step of [
      call("bash", { command: "touch made.txt", description: "x" }),
      shell("touch made.txt"),
    ]) {
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
  bed.model.script(
    { session: id },
    update("action", "Look"),
    hive("delegate research", { question: "Why?" }),
    say("ok"),
    say("ok"),
  )
  await bed.prompt({ id }, "Go")
  await bed.client.session.command({ path: { id }, body: { command: "hive-split", arguments: "" } })
  const { properties } = await bed.waitForEvent("tui.session.select")
  const { data: made = [] } = await bed.client.session.list()
  const others = made.filter((each) => each.id !== id)
  expect(others.map((each) => each.id)).toContain(properties["sessionID"])
  expect(others).toHaveLength(2)
  for (const other of others) expect(other).toMatchObject({ permission: expect.arrayContaining(rules) })
})

interface Question {
  id: string
  permission: string
  patterns: string[]
  metadata: unknown
}

async function question(bed: Bed): Promise<Question> {
  const { properties } = await bed.waitForEvent("permission.asked")
  return properties as unknown as Question
}

async function reply(bed: Bed, id: string, permissionID: string, response: "once" | "reject"): Promise<void> {
  await bed.client.postSessionIdPermissionsPermissionId({ path: { id, permissionID }, body: { response } })
}
