import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { patchedPlugin } from "./bed/patched-plugin.ts"
import { hive, say } from "./bed/steps.ts"

it("the first answer does not wait for the validation: it hangs, and the turn ends all the same", async () => {
  const plugin = patchedPlugin(
    /function createValidation\(.*?\)\{/,
    `function createValidation() { return async (hive) => {
      (await import("node:fs")).writeFileSync(hive.dir + "/validating", "")
      await new Promise(() => {})
    };`,
  )
  await using bed = await openBed({ plugin })
  const save = hive("anchor save", { key: "A", value: "x" })
  const turn = await bed.prompt(await bed.newSession("s"), "Go", save, say("Done."))
  expect(turn).toMatchObject({ error: undefined, text: "Done." })
  expect(existsSync(join(bed.project, "validating"))).toBe(true)
  expect(turn.toolCalls[0]?.output).toContain("success")
})
