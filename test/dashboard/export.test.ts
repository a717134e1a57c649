import { expect, it, onTestFinished } from "vitest"
import { openHive } from "../../src/api.ts"
import type { MemoryView, NowView, TimelineView } from "../../src/dashboard/answers/model.ts"
import { exportedPage } from "../../src/dashboard/export-page.ts"
import { exportedAnswer } from "../../src/dashboard/page/data/exported.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { drain, enqueue } from "../../src/queue/queue.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import { tempProject } from "../support/temp-project.ts"

it("an exported file answers what it offers: shelves, sessions, the story of a record, all steps, what was replaced", async () => {
  const { page, plan, project } = await exported()
  const data = JSON.parse(/id="snapshot">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? "")
  const answer = <T>(at: string) => exportedAnswer(data, at) as T
  const { shelves, items: mems } = answer<MemoryView>("/api/memory")
  expect(shelves.length).toBeGreaterThan(0)
  for (const shelf of shelves) {
    const { items } = answer<MemoryView>(`/api/memory?shelf=${shelf}`)
    expect(items.length, shelf).toBeGreaterThan(0)
  }
  expect(mems.find(({ content }) => content === "Amounts are euros")).toBeUndefined()
  expect(answer(`/api/mem?id=${plan.replaced}`)).toMatchObject({ mem: { content: "Amounts are euros" } })

  const all = answer<TimelineView>("/api/timeline?kind=all")
  expect(all.items).toHaveLength(all.total)
  expect(all.total).toBeGreaterThan(100)
  const told = answer<TimelineView>("/api/timeline").items
  expect(told.map(({ kind }) => kind)).not.toContain("small")
  for (const kind of new Set(all.items.map((item) => item.kind)))
    expect(answer<TimelineView>(`/api/timeline?kind=${kind}`).total, kind).toBeGreaterThan(0)
  const story = answer<TimelineView>(`/api/timeline?record=${plan.id}`)
  expect(story.items.map(({ changes }) => changes)).toEqual([expect.arrayContaining(['+ plan "Discounts"'])])
  const [session] = answer<{ sessions: { host_id: string; stamp: string }[] }>("/api/context").sessions
  expect(answer<TimelineView>(`/api/timeline?session=${session?.stamp}`).total).toBeGreaterThan(0)
  expect(answer<TimelineView>(`/api/timeline?session=${session?.host_id}`).total).toBeGreaterThan(0)
  expect(answer(`/api/context?session=${session?.host_id}`)).toMatchObject({ sessions: [session] })
  expect(answer(`/api/drift?session=${session?.host_id}`)).toBeDefined()

  expect(answer<NowView>("/api/now").project.dir).toBe(".")
  expect(page).not.toContain(project)
})

async function exported() {
  const project = await tempProject()
  await createLayout(project)
  const api = await openHive(project)
  const tasks = [{ title: "Apply", expected_output: `it is in ${project}/src` }]
  const { plan } = await api.plans.create({ title: "Discounts", acceptance: ["done"], tasks })
  const replaced = await api.memory.save({ content: "Amounts are euros", kind: "decision" })
  for (let at = 0; at < 100; at++) await api.memory.save({ content: `Fact number ${at}` })
  await api.close()
  const options = { name: "a test", value: undefined }
  const { hive } = await openHiveIn(project, { source: systemSource, userConfig: null, options })
  onTestFinished(() => hive.store.close())
  const supersedes = replaced.id
  await enqueue(hive, "test", {
    do: "save_mem",
    content: "Amounts are whole cents",
    kind: "decision",
    supersedes,
  })
  await drain(hive)
  return { page: await exportedPage(hive), plan: { id: plan.id, replaced: supersedes }, project }
}
