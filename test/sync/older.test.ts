import { cpSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished, vi } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { sharedGraph } from "../support/clones.ts"
import { GIT_ENV } from "../support/git-repo.ts"
import { by } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

it("what an older version wrote is shared once, however it was changed or taken away since", async () => {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const team = makeTeam(await tempProject())
  const [anna, bert] = [team.anna, team.bert].map((dir) => {
    cpSync(OLD, join(dir, ".hivemind"), { recursive: true })
    const store = openFileStore(dir, { source: systemSource })
    onTestFinished(() => store.close())
    return { store, sync: () => syncHive({ store, dir, remote: "origin", mayBegin: async () => true }) }
  }) as [Member, Member]
  const before = Object.keys(sharedGraph(anna.store))
  const [mem, other] = [...anna.store.read().state.mem.keys()] as [string, string]
  await anna.store.write(by, (tx) => {
    tx.set("mem", mem, { content: "first" })
    tx.set("mem", mem, { content: "second" })
  })
  await anna.store.write(by, (tx) => tx.drop("mem", other))
  await anna.sync()
  const { conflicts } = await bert.sync()
  expect(conflicts).toEqual([])
  await anna.sync()
  expect(sharedGraph(bert.store)).toEqual(sharedGraph(anna.store))
  expect(Object.keys(sharedGraph(bert.store))).toEqual(before.filter((key) => key !== `mem ${other}`))
  expect(bert.store.read().state.mem.get(mem)?.content).toBe("second")
  // A third clone that never had the old files gets all of it.
  const third = openFileStore(await tempProject(), { source: systemSource })
  onTestFinished(() => third.close())
  await syncHive({ store: third, dir: team.bert, remote: null, mayBegin: async () => false })
  const [here, there] = [sharedGraph(anna.store), sharedGraph(third)]
  expect(there).toMatchObject(here)
  // What left the hot set is for each clone to decide.
  const more = Object.keys(there).filter((key) => !(key in here))
  expect(more.filter((key) => !anna.store.archive.has(key.replace("mem ", "")))).toEqual([])
})

interface Member {
  store: ReturnType<typeof openFileStore>
  sync: () => ReturnType<typeof syncHive>
}

const OLD = fileURLToPath(new URL("../fixtures/hive-0.1/hivemind", import.meta.url))
