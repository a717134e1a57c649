import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "vitest"
import { gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

it("a word that is changed wherever grep finds it is not changed in HiveMind's folder", async () => {
  const dir = realpathSync(
    gitRepo(await tempProject(), { "src/a.ts": "OLD other note", ".gitignore": ".hivemind" }),
  )
  for (const [folder, text] of [
    ["graph/log", '{"title":"Rename OLD"}'],
    ["artifacts", "note"],
  ] as const) {
    mkdirSync(join(dir, ".hivemind", folder), { recursive: true })
    writeFileSync(join(dir, ".hivemind", folder, "x.jsonl"), text)
  }
  const refused = lossAsker(dir)
  await expectRefused(refused, [
    "grep -rl OLD . | xargs sed -i s/OLD/NEW/",
    "grep -rlZ OLD . --exclude-dir=.git | xargs -0 sed -i s/OLD/NEW/g",
    "grep -rl --include='*.jsonl' OLD | xargs sed -i s/OLD/NEW/",
    "sed -i s/OLD/NEW/ $(grep -rl OLD .)",
    'for f in $(grep -Rli old .); do perl -pi -e s/OLD/NEW/ "$f"; done',
    "grep -rl OLD . | grep -v node_modules | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . | grep hivemind | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . | grep -v 'dist|hivemind' | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . | grep -v hivemindx | xargs sed -i s/OLD/NEW/",
    "grep -rl note .hivemind | xargs sed -i s/OLD/NEW/",
  ])
  await expectPassed(refused, [
    "grep -rl OLD src | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . --exclude-dir=.hivemind | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . --exclude-dir='.*' | xargs sed -i s/OLD/NEW/",
    "grep -rl --include='*.ts' OLD . | xargs sed -i s/OLD/NEW/",
    "grep -rl other . | xargs sed -i s/other/another/",
    "grep -rl note . | xargs sed -i s/note/notes/",
    "grep -rl OLD . | xargs cat",
    "grep -rl OLD . | grep -v hivemind | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . | grep -v node_modules | grep -v '^./.hivemind' | xargs sed -i s/OLD/NEW/",
    "grep -rl OLD . | grep -Ev 'dist|\\.hivemind/' | xargs sed -i s/OLD/NEW/",
  ])
})
