import { expect, it } from "vitest"
import { compactionPrompt } from "../../../src/context/compaction/prompt.ts"
import { pack } from "../../../src/context/pack/pack.ts"
import { headOf } from "../../../src/graph/read-head.ts"
import { SESSION, sessionAtWork } from "./session-work.ts"

it("a decision that was replaced is in no prompt, report or block of the next ten compactions", async () => {
  const work = sessionAtWork()
  await work.plan("User authentication")
  let before = await work.mem("Round 0: passwords are hashed with scheme 0", { kind: "decision" })
  await work.compact()
  const leaks: string[] = []
  for (let round = 1; round <= 10; round++) {
    const content = `Round ${round}: passwords are hashed with scheme ${round}`
    const old = before
    before = await work.mem(content, { kind: "decision", supersedes: old.id })
    const { next_report, turning_points } = work.session()
    expect(next_report).toContain(old.content)
    const now = work.hive.source.now()
    const summary = `## Important Details\n- ${old.content}\n- The API is in Go`
    const prompt = compactionPrompt(
      { state: work.state(), session: SESSION, now },
      { next_report: next_report ?? "", turning_points },
      summary,
    )
    expect(prompt).toContain("The API is in Go")
    const { xml } = pack(work.state(), headOf(work.state(), SESSION), { now, turningPoints: turning_points })
    const report = (await work.compact()) ?? ""
    expect(report).toContain(content)
    for (const [where, text] of Object.entries({ prompt, xml, report }))
      if (text.includes(old.content)) leaks.push(`${round}: ${where}`)
  }
  expect(leaks).toEqual([])
})
