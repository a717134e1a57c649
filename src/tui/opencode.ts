import { homedir } from "node:os"
import type { TuiPlugin, TuiPluginApi } from "@opencode-ai/plugin/tui"
import { createComponent } from "solid-js"
import { userConfigFile } from "../hive/load-config.ts"
import { locateHive } from "../hive/locate.ts"
import { isEnabledFor } from "../hive/plugin-options.ts"
import { startPanel } from "./panel.ts"
import type { PanelHost } from "./port.ts"

export const openCodePanel: TuiPlugin = async (api, options) => {
  // An OpenCode version without the needed API gets no panel. A toast says so, because there is no log yet.
  try {
    if (!isEnabledFor(locateHive(api.state.path.directory).home, options)) return
    startPanel(panelHost(api))
  } catch {
    api.ui.toast({
      message: "HiveMind's panel does not run in this version of OpenCode.",
      variant: "warning",
    })
  }
}

function panelHost(api: TuiPluginApi): PanelHost {
  return {
    directory: api.state.path.directory,
    userConfig: userConfigFile(process.env, homedir()),
    colour: (tone) => api.theme.current[COLOURS[tone]],
    session: () => {
      const route = api.route.current
      const id: unknown = "params" in route ? route.params?.["sessionID"] : undefined
      return typeof id === "string" ? id : null
    },
    addSidebar: (render) => {
      api.slots.register({
        order: ORDER,
        slots: {
          sidebar_content: (_: unknown, props: { session_id: string }) => render(() => props.session_id),
        },
      })
    },
    addCommands: (commands) => {
      api.keymap.registerLayer({
        commands: commands.map(({ name, title, run }) => ({
          ...{ namespace: "palette", name: `hivemind.${name}`, title, category: "HiveMind", run },
        })),
      })
    },
    choose: (title, options) =>
      showDialog(api, (done) =>
        createComponent(api.ui.DialogSelect, {
          ...{ title, options: options.map((each, index) => ({ title: each.title, value: index })) },
          onSelect: ({ value }: { value: number }) => done(options[value]?.value),
        }),
      ),
    askText: (title, placeholder) =>
      showDialog(api, (done) =>
        createComponent(api.ui.DialogPrompt, { title, placeholder, onConfirm: done }),
      ),
    toast: (message, variant) => api.ui.toast({ title: "HiveMind", message, variant }),
    onEnd: (run) => {
      api.lifecycle.onDispose(run)
    },
  }
}

/** Shows a dialog until it calls `done` with the answer, or until the user closes it: undefined. */
function showDialog<T>(api: TuiPluginApi, draw: (done: (answer: T | undefined) => void) => unknown) {
  return new Promise<T | undefined>((resolve) => {
    const done = (answer: T | undefined) => {
      // Resolved before `clear`, which calls the handler for a closed dialog.
      resolve(answer)
      api.ui.dialog.clear()
    }
    api.ui.dialog.replace(
      () => draw(done),
      () => resolve(undefined),
    )
  })
}

// The place in the sidebar: below OpenCode's own context figures, above its lists.
const ORDER = 150
const COLOURS = {
  title: "text",
  text: "text",
  muted: "textMuted",
  accent: "primary",
  good: "success",
  warning: "warning",
  bad: "error",
} as const
