import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { checkSnapshots } from "../../../src/cli/doctor/project-checks.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { fileHive } from "../../support/file-hive.ts"
import { gitRepo } from "../../support/git-repo.ts"
import { aroundCommand } from "../../support/snapshots.ts"

it("tells how many snapshots there are, their size, age and limits, and what they leave out", async () => {
  const hive = await fileHive()
  gitRepo(hive.dir, { "a.txt": "a\n", ".gitignore": ".hivemind/\n*.bin\n" })
  expect(await checkSnapshots(hive)).toEqual({
    ...{ level: "ok", mend: null },
    found: ["none yet; kept for 14 days, up to 1.0 GB"],
  })
  writeFileSync(join(hive.dir, "large.bin"), Buffer.alloc(3 << 20))
  await aroundCommand(hive.dir, "rm a.txt")
  const { found } = await checkSnapshots({
    ...hive,
    source: { ...hive.source, now: () => Date.now() + 7200_000 },
  })
  expect(found).toEqual([
    expect.stringMatching(/^1 snapshot, \d.* KB, the oldest from 2 h ago; kept for 14 days, up to 1\.0 GB$/),
    "left out, so not restorable: 1 file or folder: large.bin (3.0 MB)",
  ])
})

it("says that nothing can be restored: switched off, or without git", async () => {
  const hive = await fileHive()
  const off = { ...defaultConfig, snapshots: { ...defaultConfig.snapshots, enabled: false } }
  expect(await checkSnapshots({ ...hive, config: off })).toMatchObject({
    level: "skipped",
    found: ["switched off (snapshots.enabled); none yet"],
  })
  const path = process.env["PATH"]
  process.env["PATH"] = join(hive.dir, "nothing")
  try {
    expect(await checkSnapshots(hive)).toMatchObject({
      level: "warning",
      mend: "Install git: without it no call can be restored.",
    })
  } finally {
    process.env["PATH"] = path
  }
})
