import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { sharedGraph } from "../support/clones.ts"
import { git, linesInLog } from "../support/git-repo.ts"
import { aMem, by } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

it("a sync looks only at what came since the last one", async () => {
  const { anna } = await synced()
  const asked = watchLog(anna.store)
  await anna.save(3)
  expect(await anna.sync()).toMatchObject({ saved: 1, push: "pushed" })
  expect(Math.max(...asked)).toBeLessThanOrEqual(1)
})

it("a mark that is lost or torn costs one look at all, and nothing is sent twice", async () => {
  for (const damage of [rmSync, (path: string) => writeFileSync(path, '{"clone":"a')]) {
    const { anna, bert } = await synced()
    damage(anna.mark)
    await anna.save(3)
    expect(await anna.sync()).toMatchObject({ saved: 1 })
    expect(await bert.sync()).toMatchObject({ brought: 1 })
    expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
  }
})

it("a crash before the mark is written: what was saved is not sent twice, and what came since goes", async () => {
  const { anna, bert } = await synced()
  const before = readFileSync(anna.mark, "utf8")
  await anna.save(3)
  await anna.sync()
  writeFileSync(anna.mark, before)
  await anna.save(4)
  expect(await anna.sync()).toMatchObject({ saved: 1 })
  await bert.sync()
  expect(linesInLog(anna.dir)).toBe(4)
  expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
})

it("the repository's log was deleted: all that this clone wrote goes there again", async () => {
  const { anna } = await synced()
  git(anna.dir, "update-ref", "-d", LOG_REF)
  expect(await anna.sync(null)).toMatchObject({ saved: 2 })
  expect(linesInLog(anna.dir)).toBe(2)
})

/** Two clones with two mems of the first in both. */
async function synced() {
  const team = makeTeam(await tempProject())
  const [anna, bert] = [clone(team.anna), clone(team.bert)]
  await anna.save(1)
  await anna.save(2)
  await anna.sync()
  await bert.sync()
  return { anna, bert }
}

function clone(dir: string) {
  const store = openFileStore(dir, { source: systemSource })
  return {
    dir,
    store,
    mark: join(dir, ".hivemind", "state", "sync.json"),
    save: (n: number) => store.append(by, (tx) => tx.add("mem", aMem(n))),
    sync: (remote: string | null = "origin") => syncHive({ store, dir, remote, mayBegin: async () => true }),
  }
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
