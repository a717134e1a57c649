import { homedir } from "node:os"
import { userConfigFile } from "../hive/load-config.ts"
import { startPanel } from "./panel.ts"
import type { PanelHost } from "./port.ts"

/** The part of OpenCode 2's terminal UI that the panel uses. Its types are not published yet. */
export interface Context2 {
  location: { directory: string } | undefined
  data: { location: { default: () => { directory: string } } }
  theme: {
    text: {
      default: unknown
      subdued: unknown
      feedback: Record<"success" | "error" | "warning" | "info", { default: unknown }>
    }
  }
  keymap: {
    layer: (input: () => { mode: string; commands: readonly Command2[] }) => void
  }
  ui: {
    dialog: {
      prompt: (options: { title: string; placeholder: string }) => Promise<string | undefined>
      select: <T>(options: {
        title: string
        options: readonly { title: string; value: T }[]
      }) => Promise<T | undefined>
    }
    toast: { show: (options: { title: string; message: string; variant: "success" | "warning" }) => void }
    router: { current: () => { type: string; sessionID?: string } }
    slot: (claim: { append: string; render: (input: { sessionID: string }) => unknown }) => () => void
  }
}

type Command2 = { id: string; title: string; group: string; palette: true; run: () => void }

export async function openCode2Panel(context: Context2): Promise<() => void> {
  const ends: (() => void)[] = []
  startPanel(panelHost(context, ends))
  return () => {
    for (const end of ends.reverse()) end()
  }
}

function panelHost({ location, data, theme, keymap, ui }: Context2, ends: (() => void)[]): PanelHost {
  return {
    directory: (location ?? data.location.default()).directory,
    userConfig: userConfigFile(process.env, homedir()),
    colour: (tone) => {
      if (tone === "title" || tone === "text") return theme.text.default
      return tone === "muted" ? theme.text.subdued : theme.text.feedback[FEEDBACK[tone]].default
    },
    session: () => ui.router.current().sessionID ?? null,
    addSidebar: (render) => {
      ends.push(ui.slot({ append: "sidebar.content", render: (input) => render(() => input.sessionID) }))
    },
    addCommands: (commands) => {
      const layer = () => ({
        mode: "global",
        commands: commands.map(({ name, title, run }) => ({
          ...{ id: `hivemind.${name}`, title, group: "HiveMind", palette: true as const, run },
        })),
      })
      // OpenCode 2 takes commands only from a rendered element. This one draws nothing and always exists.
      const render = () => {
        keymap.layer(layer)
        return null
      }
      ends.push(ui.slot({ append: "app", render }))
    },
    choose: (title, options) => ui.dialog.select({ title, options }),
    askText: (title, placeholder) => ui.dialog.prompt({ title, placeholder }),
    toast: (message, variant) => ui.toast.show({ title: "HiveMind", message, variant }),
    onEnd: (run) => ends.push(run),
  }
}

const FEEDBACK = { accent: "info", good: "success", warning: "warning", bad: "error" } as const
