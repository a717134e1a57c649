import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ALL } from "../../src/graph/indexes.ts"
import { commitFiles } from "../support/git-repo.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { hive } from "./bed/steps.ts"

const MANIFEST =
  '{ "name": "shop", "scripts": { "test": "vitest" }, "dependencies": { "react": "^18.2.0" } }\n'

function factsOf(bed: Bed): Record<string, string> {
  return Object.fromEntries(
    [...bed.state().mem.by("scanned", ALL)].map(({ tags, content }) => [tags[0], content]),
  )
}

it("/hive-onboard ends with mems, a profile and proposals, with the coordinator; later scans keep up", async () => {
  await using bed = await openBed({ git: true, hive: true })
  commitFiles(
    bed.project,
    {
      "package.json": MANIFEST,
      "README.md":
        "# Shop\n\nSells things to people who want them, a few at a time.\n\n[gone](docs/gone.md)\n",
      "src/cart.ts": "export const cart = []\n",
      "AGENTS.md": "# Rules\n",
      ".specify/memory/constitution.md": "# Constitution\n",
    },
    "shop",
  )
  const session = await bed.newSession("onboard")
  bed.model.script(hive("scan full", { onboard: true }))
  await bed.command(session, "hive-onboard")
  const first = JSON.parse(bed.model.lastTurn().toolOutputs.at(-1) ?? "{}")
  expect(first).toMatchObject({
    status: "success",
    frameworks: ["React ^18.2.0, package.json:1"],
    profile: { path: ".hivemind/project/profile.md", outcome: "written" },
    proposed: { because: ["!.specify/**: spec-kit manages it"], verify: ["npm test"] },
  })
  expect(first.mems).toBeGreaterThanOrEqual(4)
  expect(first.ask_the_user.length).toBeGreaterThan(0)
  const agents = (await bed.messages(session)).map(({ info }) => ("agent" in info ? info.agent : ""))
  expect(agents).toContain("hive-coordinator")
  expect(await bed.readHive("project/profile.md")).toContain("- React ^18.2.0 (ui): `package.json:1`")
  expect(factsOf(bed)["commands"]).toBe("To run: test `npm test`.")

  // Another session, after a change from outside: what is known about the project follows by itself.
  writeFileSync(join(bed.project, "package.json"), MANIFEST.replace("^18.2.0", "^19.0.0"))
  const next = await bed.newSession("next")
  await bed.prompt(next, "Hello")
  await expect.poll(() => factsOf(bed)["stack"]).toContain("React ^19.0.0")
  const { requests } = await bed.prompt(next, "With which command are the tests of this project run?")
  expect(JSON.stringify(requests[0]?.body)).toContain("npm test")
  expect(bed.printed()).toBe("")
  expect(await bed.pluginLog()).not.toContain("error")
})
