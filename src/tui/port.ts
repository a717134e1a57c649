import type { Tone } from "./sidebar-lines.ts"

/** What the panel needs of the terminal UI of OpenCode 1 or 2. */
export interface PanelHost {
  directory: string
  userConfig: string
  /** Returns the colour of a tone in the current theme. It is called again when the theme changes. */
  colour: (tone: Tone) => unknown
  session: () => string | null
  addSidebar: (render: (session: () => string) => unknown) => void
  addCommands: (commands: readonly { name: string; title: string; run: () => void }[]) => void
  choose: <T>(title: string, options: readonly { title: string; value: T }[]) => Promise<T | undefined>
  askText: (title: string, placeholder: string) => Promise<string | undefined>
  toast: (message: string, variant: "success" | "warning") => void
  /** Registers a callback for when the host removes the panel. */
  onEnd: (run: () => void) => void
}
