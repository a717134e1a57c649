import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { type SyncReport, syncHive } from "../../src/sync/sync.ts"
import { sharedGraph } from "../support/clones.ts"
import { git } from "../support/git-repo.ts"
import { aMem, by, uuid } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { tempProject } from "../support/temp-project.ts"

const fixture = fileURLToPath(new URL("../fixtures/hive-0.1/hivemind", import.meta.url))

it("a hive of version 0.1 comes to another clone whole, without a conflict", async () => {
  const { anna, bert } = makeTeam(await tempProject())
  const [older, fresh] = [openOlder(anna), open(bert)]
  await older.store.append(by, (tx) => tx.add("mem", aMem(1)))
  await sync(older)
  expect(await sync(fresh)).toMatchObject({ conflicts: [] })
  // What had left the hot set there has not left it here.
  const archived = await older.store.archive.naming("")
  const { mem: mems } = fresh.store.read().state
  for (const mem of archived) expect(mems.get(mem.id)).toEqual(mem)
  const left = new Set(archived.map(({ id }) => `mem ${id}`))
  const here = Object.entries(sharedGraph(fresh.store)).filter(([name]) => !left.has(name))
  expect(Object.fromEntries(here)).toEqual(sharedGraph(older.store))
})

it("hives of version 0.1 that went apart become one, the same in every clone", async () => {
  const root = await tempProject()
  const { anna, bert, remote } = makeTeam(root)
  const carl = join(root, "carl")
  git(root, "clone", "-q", remote, carl)
  const team = [anna, bert, carl].map((dir, n) =>
    openOlder(dir, (text) =>
      text
        .replaceAll('"title":"Pick a database"', `"title":"Pick a database, said ${n}"`)
        // Each has an anchor of its own with one key.
        .replaceAll("de21e272-c6dd-4d46-bf5b-8557495e952a", uuid(900 + n))
        .replaceAll('"value":"Postgres 17 on port 5433"', `"value":"Postgres 1${n}"`),
    ),
  )
  for (const [n, { store }] of team.entries()) await store.append(by, (tx) => tx.add("mem", aMem(n + 1)))
  for (const each of [...team, ...team]) await sync(each)
  const [first, ...others] = team.map(({ store }) => sharedGraph(store))
  for (const each of others) expect(each).toEqual(first)
  const { state } = team[0]?.store.read() ?? { state: undefined }
  const rules = Array.from(state?.conflict.values() ?? [], ({ rule }) => rule)
  expect(new Set(rules)).toEqual(new Set(["versions", "anchor_key"]))
  expect(
    [...(state?.task.values() ?? [])].filter(({ title }) => title.startsWith("Pick a database")),
  ).toHaveLength(1)
})

interface Member {
  dir: string
  store: Store
}

function open(dir: string): Member {
  return { dir, store: openFileStore(dir, { source: systemSource }) }
}

/** With what a person, or version 0.1, has written differently here. */
function openOlder(dir: string, edited: (text: string) => string = (text) => text): Member {
  const hive = join(dir, ".hivemind")
  cpSync(fixture, hive, { recursive: true })
  for (const name of ["graph/tasks.json", "graph/mems.json", "state/anchors.json"])
    writeFileSync(join(hive, name), edited(readFileSync(join(hive, name), "utf8")))
  return open(dir)
}

function sync({ dir, store }: Member): Promise<SyncReport> {
  return syncHive({ dir, store, remote: "origin", mayBegin: async () => true })
}
