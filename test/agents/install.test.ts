import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openHookedBed } from "./hooked-bed.ts"

it("codex: doctor names the hooks that wait for the user's trust, and init and uninstall leave config.toml as it was", async () => {
  await using bed = await openHookedBed("codex")
  const config = join(bed.home, ".codex", "config.toml")
  const untrusted = await bed.hivemind("doctor", "--no-start")
  expect(untrusted.stdout).toMatch(/codex hooks.*not trusted: session_start, .*pre_tool_use/)
  expect(untrusted.stdout).toContain("open `/hooks` there")

  const installed = readFileSync(config, "utf8")
  const { hooks } = JSON.parse(
    readFileSync(new URL("../../dist/agents/codex/plugin/hooks/hooks.json", import.meta.url), "utf8"),
  )
  const trust = Object.keys(hooks).flatMap((event) => {
    const name = event.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
    return ["0:0", "0:1", "1:0"].map(
      (place) =>
        `\n[hooks.state."hivemind@hivemind:hooks/hooks.json:${name}:${place}"]\ntrusted_hash = "sha256:00"\n`,
    )
  })
  writeFileSync(config, installed + trust.join(""))
  expect((await bed.hivemind("doctor", "--no-start")).stdout).toContain("you have trusted all hooks")
  writeFileSync(config, installed)

  expect((await bed.hivemind("uninstall", "--yes", "--agent", "codex")).code).toBe(0)
  expect(readFileSync(config, "utf8")).toBe(bed.homeFiles[".codex/config.toml"])
})

it("gemini: init links the extension and trusts no folder, and uninstall removes it", async () => {
  await using bed = await openHookedBed("gemini", { env: { GEMINI_CLI_TRUST_WORKSPACE: "" } })
  const extension = join(bed.home, ".gemini", "extensions", "hivemind")
  expect(existsSync(extension)).toBe(true)
  expect(existsSync(join(bed.home, ".gemini", "trustedFolders.json"))).toBe(false)
  expect((await bed.hivemind("uninstall", "--yes", "--agent", "gemini")).code).toBe(0)
  expect(existsSync(extension)).toBe(false)
})
