import type { Tone } from "./sidebar-lines.ts"

/** The panel's interface to a terminal UI. Every `render` draws with the host's own packages. */
export interface PanelHost {
  /** The project that is open. */
  directory: string
  /** The user's own configuration file of HiveMind. */
  userConfig: string
  /** From the current theme; called again when it changes. */
  colour: (tone: Tone) => unknown
  /** The session on the screen. */
  session: () => string | null
  addSidebar: (render: (session: () => string) => unknown) => void
  /** Adds commands to the palette. */
  addCommands: (commands: readonly PanelCommand[]) => void
  choose: <T>(title: string, options: readonly { title: string; value: T }[]) => Promise<T | undefined>
  askText: (title: string, placeholder: string) => Promise<string | undefined>
  toast: (message: string, variant: "success" | "warning") => void
  /** Runs when the host takes the panel away. */
  onEnd: (run: () => void) => void
}

interface PanelCommand {
  name: string
  title: string
  run: () => void
}
