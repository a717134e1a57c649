import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { calls, save } from "./bed/steps.ts"

const LATER = "twenty-days-later"

it("a decision of one session, asked for twenty days later in other words, is in the block with its reason", async () => {
  // The clock of the plugin is twenty days ahead once the file is there.
  const plugin = patchedPlugin(
    /\{now:Date\.now,newId:/,
    `{ now: () => Date.now() + (process.getBuiltinModule("node:fs").existsSync("${LATER}") ? 20 * 86400000 : 0), newId:`,
  )
  await using bed = await openBed({ plugin })
  const decision =
    "Access tokens are JWTs with a refresh cookie, because the edge runtime has no session store"
  const others = calls(...Array.from({ length: 5 }, (_, n) => save(`Colour ${n} of the palette is taken`)))
  await bed.prompt(await bed.newSession("one"), "Save it", save(decision, "decision"), others)
  writeFileSync(join(bed.project, LATER), "")
  await bed.restart()
  const fresh = await bed.newSession("two")
  const question = "how come we use jwt and a refresh cookie rather than plain sessions?"
  const { requests } = await bed.prompt(fresh, question)
  await bed.prompt(fresh, "thanks")
  expect(injectedTexts(requests[0] as ModelRequest).join()).toContain(decision)
  const shown = execFileSync(process.execPath, [join(plugin, "dist/cli/main.js"), "context", "--json"], {
    cwd: bed.project,
    encoding: "utf8",
  })
  expect(shown).toMatch(/words: [^"]*jwt/)
  expect(prefixFigures(bed.model.turns().slice(-2)).kept).toEqual([1])
  expect(await bed.pluginLog()).not.toContain("error")
})
