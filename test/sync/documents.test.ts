import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { saveAnchor } from "../../src/knowledge/anchor/anchors.ts"
import { fileStatusLookup } from "../../src/project/document/file-status.ts"
import { createValidation } from "../../src/watch/validation.ts"
import { createPlan } from "../../src/work/plan/create.ts"
import { git } from "../support/git-repo.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { makeTeam, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

const DOCUMENT = "docs/plan.md"
const CALLER = { session: "ses_anna", agent: null, tool: "test" }

async function open(dir: string, text: string) {
  const hive = await openProcess(dir)
  const write = (content: string) => {
    mkdirSync(join(dir, "docs"), { recursive: true })
    writeFileSync(join(dir, DOCUMENT), content)
  }
  write(text)
  const validate = createValidation(fileStatusLookup(dir), () => 0)
  const document = () => [...hive.store.read().state.artifact.values()].find(({ path }) => path === DOCUMENT)
  const anchor = () => [...hive.store.read().state.anchor.values()][0]?.status
  return {
    hive,
    write,
    status: () => [document()?.status, anchor()],
    validate: () => validate(hive, { session: "ses_1", agent: null, tool: "turn end" }, "turn end"),
  }
}

/** Anna has a newer commit of the document than Bert, a plan that follows it, and an anchor that refers to it. */
async function twoCommits() {
  const team = makeTeam(await tempProject())
  const anna = await open(team.anna, "# Steps\ntwo\n")
  const bert = await open(team.bert, "# Steps\none\n")
  for (const dir of [team.anna, team.bert]) {
    git(dir, "add", "-A")
    git(dir, "commit", "-qm", "document")
  }
  const input = { title: "P", goal: null, acceptance: [], sot_document_path: DOCUMENT }
  await createPlan(anna.hive, CALLER, input)
  await saveAnchor(anna.hive, CALLER, { key: "k", value: "v", priority: "high", related_to: [DOCUMENT] })
  await sync(anna.hive)
  await sync(bert.hive)
  return { anna, bert }
}

it("a clone on another commit marks no document and no anchor, and nothing goes back and forth", async () => {
  const { anna, bert } = await twoCommits()
  for (let round = 0; round < 3; round++)
    for (const clone of [bert, anna]) {
      expect(await clone.validate()).toEqual([])
      expect(await sync(clone.hive)).toMatchObject({ saved: 0, brought: 0 })
    }
  expect([anna.status(), bert.status()]).toEqual([
    ["current", "active"],
    ["current", "active"],
  ])
})

it("an edit in a clone that has had the recorded content is marked there, and only there", async () => {
  const { anna, bert } = await twoCommits()
  bert.write("# Steps\ntwo\n")
  expect(await bert.validate()).toEqual([])
  bert.write("# Steps\nthree\n")
  expect(await bert.validate()).toEqual(expect.arrayContaining([`${DOCUMENT}: changed`]))
  expect(bert.status()[0]).toBe("changed")
  for (const clone of [bert, anna, bert]) await sync(clone.hive)
  expect(await anna.validate()).toEqual([])
  expect([anna.status()[0], bert.status()[0]]).toEqual(["current", "changed"])
})

it("an edit in the clone that recorded the document is marked as usual", async () => {
  const { anna } = await twoCommits()
  anna.write("# Steps\nthree\n")
  await anna.validate()
  expect(anna.status()[0]).toBe("changed")
})
