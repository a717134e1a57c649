import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, calls, say } from "./bed/steps.ts"

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
  bed.model.script(
    call("hivemind_memory", { action: "save", kind: "decision", content: decision }),
    calls(
      ...Array.from({ length: 5 }, (_, n) =>
        call("hivemind_memory", { action: "save", content: `Colour ${n} of the palette is taken` }),
      ),
    ),
    say("saved"),
  )
  await bed.prompt(await bed.newSession("one"), "Save what we have decided")
  writeFileSync(join(bed.project, LATER), "")
  await bed.restart()
  const fresh = await bed.newSession("two")
  bed.model.script(say("Because of the edge."))
  const { requests } = await bed.prompt(
    fresh,
    "how come we use jwt and a refresh cookie rather than plain sessions?",
  )
  bed.model.script(say("You are welcome."))
  await bed.prompt(fresh, "thanks")
  expect(injectedTexts(requests[0] as ModelRequest).join()).toContain(decision)
  const shown = execFileSync(process.execPath, [join(plugin, "dist/cli/main.js"), "context", "--json"], {
    cwd: bed.project,
    encoding: "utf8",
  })
  expect(shown).toMatch(/words: [^"]*jwt/)
  const turns = bed.model.requests.filter(({ kind }) => kind === "turn").slice(-2)
  expect(prefixFigures(turns).kept).toEqual([1])
  expect(await bed.pluginLog()).not.toContain("error")
})
