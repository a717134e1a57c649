import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { purgeMems } from "../../../src/knowledge/memory/change.ts"
import { keepRules } from "../../../src/knowledge/memory/keep-rules.ts"
import { saveAndCompare } from "../../../src/knowledge/memory/save.ts"
import { memoryHive } from "../../support/hive.ts"
import { tempProject } from "../../support/temp-project.ts"

const person = { session: null, agent: null, tool: "memory" }
const say = (hive: Hive, session: string, text: string) =>
  keepRules(hive, { session, agent: "build", tool: "user message" }, { text, id: "msg_1" })
const blockOf = ({ store, source }: Hive, budget?: number) =>
  pack(store.read().state, undefined, { now: source.now(), budget })

it("keeps the sentence with its message, and the next block has it", async () => {
  const hive = memoryHive()
  const { kept } = await say(hive, "ses_1", "Please fix it. From now on use pnpm in packages/web.")
  expect(kept.map(({ mem }) => mem)).toMatchObject([
    {
      kind: "rule",
      origin: "said",
      content: "From now on use pnpm in packages/web.",
      scope: "packages/web",
      evidence: ["message msg_1"],
    },
  ])
  const { xml } = blockOf(hive)
  expect(xml).toContain("<rules>")
  expect(xml).toContain("From now on use pnpm in packages/web.")
})

it("a later rule about the same subject replaces the older one, and only the new one is shown", async () => {
  const hive = memoryHive()
  await say(hive, "ses_1", "From now on, end all function names with '_b'.")
  const { kept } = await say(hive, "ses_2", "Going forward, please end function names with '_x'.")
  expect(kept[0]?.replaced.map(({ content }) => content)).toEqual([
    "From now on, end all function names with '_b'.",
  ])
  const { xml } = blockOf(hive)
  expect(xml).toContain("'_x'")
  expect(xml).not.toContain("'_b'")
  // A rule that was replaced counts again when the user returns to it, in the same words.
  await say(hive, "ses_3", "From now on, end all function names with '_b'.")
  expect(blockOf(hive).xml).toContain("'_b'")
  expect(blockOf(hive).xml).not.toContain("'_x'")
})

it("a rule that is said again in another session is marked, not kept twice", async () => {
  const hive = memoryHive()
  await say(hive, "ses_1", "Always use pnpm.")
  const tags = () => Array.from(hive.store.read().state.mem.values(), (mem) => mem.tags)
  for (const [session, expected] of Object.entries({ ses_1: [], ses_2: ["repeated"] })) {
    expect((await say(hive, session, "always use pnpm")).kept).toEqual([])
    expect(tags()).toEqual([expected])
  }
  expect(blockOf(hive).xml).toContain('again="the user had to say it again"')
})

it("a rule that a person removed is not kept again", async () => {
  const hive = memoryHive()
  const { kept } = await say(hive, "ses_1", "never use default exports")
  await purgeMems(hive, person, { mem_id: kept[0]?.mem.id ?? "" })
  expect((await say(hive, "ses_2", "Never use default exports!")).kept).toEqual([])
})

it("a rule that AGENTS.md already contains is not kept", async () => {
  const dir = await tempProject()
  writeFileSync(join(dir, "AGENTS.md"), "# Rules\n\n- Always run the linter before a commit.\n")
  const hive = { ...memoryHive(), dir }
  expect((await say(hive, "ses_1", "Always run the linter before a commit!")).kept).toEqual([])
  expect((await say(hive, "ses_1", "Always run the tests before a commit!")).kept).toHaveLength(1)
})

it("a saved decision says what it replaced, and what it may replace", async () => {
  const hive = memoryHive()
  const save = (content: string) => saveAndCompare(hive, person, { content, kind: "decision" })
  const redis = await save("Use Redis for the cache")
  const valkey = await save("Use Valkey for the cache")
  expect(valkey).toMatchObject({
    mem: { supersedes: redis.mem.id },
    replaced: [{ id: redis.mem.id }],
    conflicts: [],
  })
  const fly = await save("We deploy with Ansible")
  expect(await save("We deploy with Terraform")).toMatchObject({
    replaced: [],
    conflicts: [{ id: fly.mem.id }],
  })
})

it("what an agent saves may contradict a rule of the user, but does not end it", async () => {
  const hive = memoryHive()
  await say(hive, "ses_1", "From now on we use pnpm.")
  const fact = { content: "We use npm", kind: "fact" } as const
  expect(await saveAndCompare(hive, person, fact)).toMatchObject({
    replaced: [],
    conflicts: [{ content: "From now on we use pnpm." }],
  })
})

it("shows the rules that concern the task if there are too many, and counts the rest", async () => {
  const hive = memoryHive()
  for (let n = 0; n < 200; n++) {
    const content = `Always keep module number ${n} of the zymurgy${n} package free of circular imports and side effects`
    await saveAndCompare(hive, person, { content, kind: "rule" })
  }
  const block = blockOf(hive, 4000)
  const shown = block.items.filter(({ role }) => role === "rule").length
  const dropped = block.dropped
    .filter(({ section }) => section === "rules")
    .reduce((sum, { count }) => sum + count, 0)
  expect(shown).toBeGreaterThan(5)
  expect(shown + dropped).toBe(200)
  expect(block.tokens).toBeLessThanOrEqual(4000)
})

it("a rule that the user ends is no longer in the block", async () => {
  const hive = memoryHive()
  await say(hive, "ses_1", "Always sign your commits. Never use default exports.")
  const { ended, kept } = await say(hive, "ses_2", "You no longer need to sign your commits.")
  expect({ ended: ended.map(({ content }) => content), kept }).toEqual({
    ended: ["Always sign your commits."],
    kept: [],
  })
  const { xml } = blockOf(hive)
  expect(xml).not.toContain("sign your commits")
  expect(xml).toContain("default exports")
})
