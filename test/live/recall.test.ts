import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { injectedTexts } from "./bed/injected-state.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { prefixFigures } from "./bed/prefix.ts"
import { call, calls, hive, save, say } from "./bed/steps.ts"

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
    hive("memory save", { kind: "decision", content: decision }),
    calls(...Array.from({ length: 5 }, (_, n) => save(`Colour ${n} of the palette is taken`))),
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
  const turns = bed.model.turns().slice(-2)
  expect(prefixFigures(turns).kept).toEqual([1])
  expect(await bed.pluginLog()).not.toContain("error")
})

it("a correction by the user is in the block of a later session about the same topic", async () => {
  await using bed = await openBed()
  const first = await bed.newSession("one")
  const saved = { action: "save", content: "The palette has five colours" }
  bed.model.script(call("hivemind_memory", saved), say("I run yarn install."))
  await bed.prompt(first, "Set up the workspace")
  bed.model.script(say("I see."))
  const corrected = await bed.prompt(first, "No, we install with pnpm here. Yarn breaks the lockfile.")
  expect(injectedTexts(corrected.requests[0] as ModelRequest).join()).not.toContain("corrected before")
  const second = await bed.newSession("two")
  bed.model.script(say("With pnpm."))
  await bed.prompt(second, "Run yarn install and commit the lockfile")
  // What is not found in time joins the next message.
  bed.model.script(say("You are welcome."))
  const { requests } = await bed.prompt(second, "thanks")
  const day = new Date().toISOString().slice(0, 10)
  expect(injectedTexts(requests[0] as ModelRequest).join()).toContain(
    `corrected before, ${day}: No, we install with pnpm here. Yarn breaks the lockfile.`,
  )
  const turns = bed.model.turns().slice(-2)
  expect(prefixFigures(turns).kept).toEqual([1])
})
