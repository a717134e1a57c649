import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { checkSnapshots } from "../../../src/cli/doctor/project-checks.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { fileHive } from "../../support/file-hive.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { aroundCommand } from "../../support/snapshots.ts"

it("tells how many snapshots there are, their size, age and limits, and what they leave out", async () => {
  const hive = await fileHive()
  gitRepo(hive.dir, { "a.txt": "a\n", ".gitignore": ".hivemind/\n*.bin\n" })
  const found = ["none yet; kept for 14 days, up to 1.0 GB"]
  expect(await checkSnapshots(hive)).toEqual({ level: "ok", mend: null, found })
  writeFileSync(join(hive.dir, "large.bin"), Buffer.alloc(3 << 20))
  await aroundCommand(hive.dir, "rm a.txt")
  const source = { ...hive.source, now: () => Date.now() + 7200_000 }
  expect((await checkSnapshots({ ...hive, source })).found).toEqual([
    expect.stringMatching(/^1 snapshot, \d.* KB, the oldest from 2 h ago; kept for 14 days, up to 1\.0 GB$/),
    "not in the snapshots, so not restorable: 1 file or folder: large.bin (3.0 MB)",
  ])
})

it("says that nothing can be restored: switched off, or without git", async () => {
  const hive = await fileHive()
  const off = { ...defaultConfig, snapshots: { ...defaultConfig.snapshots, enabled: false } }
  expect(await checkSnapshots({ ...hive, config: off })).toMatchObject({
    level: "skipped",
    found: ["switched off (snapshots.enabled); none yet"],
  })
  vi.stubEnv("PATH", join(hive.dir, "nothing"))
  const mend = "Install git: snapshots need it."
  expect(await checkSnapshots(hive)).toMatchObject({ level: "warning", mend })
})
