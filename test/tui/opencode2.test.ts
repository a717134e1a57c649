import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, expect, it } from "vitest"

// The terminal UI of OpenCode 2 cannot be started here: the built panel runs with stand-ins for the host and its packages.
const root = mkdtempSync(join(tmpdir(), "hivemind-panel-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it("the built panel registers its sidebar and commands in OpenCode 2, and removes them when it ends", async () => {
  const panel = await loadPanel()
  const slots = new Map<string, (input: object) => unknown>()
  const layers: { commands: { id?: string; palette?: true }[] }[] = []
  const ended: string[] = []
  const end = await panel.setup({
    location: { directory: root },
    theme: { text: { feedback: {} } },
    keymap: { layer: (input: () => (typeof layers)[number]) => layers.push(input()) },
    ui: {
      router: { current: () => ({ type: "session", sessionID: "ses_1" }) },
      slot: ({ append, render }: { append: string; render: (input: object) => unknown }) => {
        slots.set(append, render)
        return () => ended.push(append)
      },
    },
  } as never)
  expect([...slots.keys()]).toEqual(["sidebar.content", "app"])
  expect(slots.get("app")?.({})).toBe(null)
  expect(layers[0]?.commands.map(({ id, palette }) => [id, palette])).toEqual(
    ["decide", "settle", "flag", "block", "acknowledge", "undo", "restore"].map((name) => [
      `hivemind.${name}`,
      true,
    ]),
  )
  end()
  expect(ended).toEqual(["app", "sidebar.content"])
})

async function loadPanel(): Promise<{ setup: (context: never) => Promise<() => void> }> {
  cpSync(join(import.meta.dirname, "..", "..", "dist"), join(root, "dist"), { recursive: true })
  standIn("@opentui/solid", ["createElement", "insert", "setProp", "effect"])
  standIn("solid-js", ["createSignal", "createComponent", "onCleanup", "Index"])
  return (await import(pathToFileURL(join(root, "dist", "tui.js")).href)).default
}

function standIn(name: string, exported: string[]): void {
  const folder = join(root, "node_modules", name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, type: "module", main: "index.js" }))
  writeFileSync(
    join(folder, "index.js"),
    exported.map((each) => `export const ${each} = () => ({})\n`).join(""),
  )
}
