import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, expect, it } from "vitest"

// The terminal UI of OpenCode 2 cannot be started here: the built panel runs with stand-ins for the host and its packages.
const root = mkdtempSync(join(tmpdir(), "hivemind-panel-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it("the built panel registers in OpenCode 2 what it has, opens and closes its page, and ends", async () => {
  const panel = await loadPanel()
  let route: { type: string; name?: string; sessionID?: string } = { type: "session", sessionID: "ses_1" }
  const slots = new Map<string, (input: object) => unknown>()
  const pages: string[] = []
  const layers: { commands: { id?: string; palette?: true; run: () => void }[] }[] = []
  const ended: string[] = []
  const end = await panel.setup({
    location: { directory: root },
    theme: { text: { feedback: {} }, background: {} },
    keymap: { layer: (input: () => (typeof layers)[number]) => layers.push(input()) },
    ui: {
      dialog: { clear: () => {} },
      router: {
        register: ({ name }: { name: string }) => {
          pages.push(name)
          return () => ended.push("page")
        },
        navigate: (to: typeof route) => {
          route = to
        },
        current: () => route,
      },
      slot: ({ append, render }: { append: string; render: (input: object) => unknown }) => {
        slots.set(append, render)
        return () => ended.push(append)
      },
    },
  } as never)
  expect([[...slots.keys()], pages]).toEqual([["sidebar.content", "app"], ["hivemind"]])

  expect(slots.get("app")?.({})).toBe(null)
  const [palette] = layers
  expect(palette?.commands.map(({ id, palette: isIn }) => [id, isIn])).toEqual([
    ["hivemind.open", true],
    ["hivemind.acknowledge", true],
    ["hivemind.undo", true],
    ["hivemind.restore", true],
  ])
  palette?.commands[0]?.run()
  expect(route).toEqual({ type: "plugin", name: "hivemind" })
  end()
  expect(ended).toEqual(["app", "page", "sidebar.content"])
})

async function loadPanel(): Promise<{ setup: (context: never) => Promise<() => void> }> {
  cpSync(join(import.meta.dirname, "..", "..", "dist"), join(root, "dist"), { recursive: true })
  standIn("@opentui/solid", ["createElement", "insert", "setProp", "effect", "useTerminalDimensions"])
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
