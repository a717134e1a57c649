import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { Store } from "../../src/store/store.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { sharedGraph } from "../support/clones.ts"
import { git, linesInLog } from "../support/git-repo.ts"
import { type Member, makeTeam, memberIn, save, sync } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

it("a sync looks only at what came since the last one", async () => {
  const { anna } = await synced()
  const asked = watchLog(anna.store)
  await save(anna, 3)
  expect(await sync(anna)).toMatchObject({ saved: 1, push: "pushed" })
  expect(Math.max(...asked)).toBeLessThanOrEqual(1)
})

it("a mark that is lost or torn costs one look at all, and nothing is sent twice", async () => {
  for (const damage of [rmSync, (path: string) => writeFileSync(path, '{"clone":"a')]) {
    const { anna, bert } = await synced()
    damage(markOf(anna))
    await save(anna, 3)
    expect(await sync(anna)).toMatchObject({ saved: 1 })
    expect(await sync(bert)).toMatchObject({ brought: 1 })
    expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
  }
})

it("a crash before the mark is written: what was saved is not sent twice, and what came since goes", async () => {
  const { anna, bert } = await synced()
  const before = readFileSync(markOf(anna), "utf8")
  await save(anna, 3)
  await sync(anna)
  writeFileSync(markOf(anna), before)
  await save(anna, 4)
  expect(await sync(anna)).toMatchObject({ saved: 1 })
  await sync(bert)
  expect(linesInLog(anna.dir)).toBe(4)
  expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
})

it("the repository's log was deleted: all that this clone wrote goes there again", async () => {
  const { anna } = await synced()
  git(anna.dir, "update-ref", "-d", LOG_REF)
  expect(await sync(anna, { remote: null })).toMatchObject({ saved: 2 })
  expect(linesInLog(anna.dir)).toBe(2)
})

/** Two clones with two mems of the first in both. */
async function synced() {
  const team = makeTeam(await tempProject())
  const [anna, bert] = [memberIn(team.anna), memberIn(team.bert)]
  await save(anna, 1)
  await save(anna, 2)
  await sync(anna)
  await sync(bert)
  return { anna, bert }
}

/** How many entries each question to the log gives from now on. */
function watchLog(store: Store): number[] {
  const asked: number[] = []
  const { log } = store
  store.log = async (part) => {
    const found = await log(part)
    asked.push(found.length)
    return found
  }
  return asked
}

function markOf({ dir }: Member): string {
  return join(dir, ".hivemind", "state", "sync.json")
}
