import type { Log } from "../store/files/log-file.ts"
import type { Tone } from "./text/line.ts"

/** What the panel needs of the terminal UI that it is in. All that takes `render` draws with the host's own packages. */
export interface PanelHost {
  /** The project that is open. */
  directory: string
  /** A config file below the project's own. */
  userConfig: string
  /** By the theme that is chosen now; asked anew when it changes. */
  colour: (tone: Tone | "background") => unknown
  /** The session that is on the screen, or was when the panel's own was opened. */
  session: () => string | null
  addSidebar: (render: (session: () => string) => unknown) => void
  addScreen: (render: () => unknown) => void
  openScreen: () => void
  closeScreen: () => void
  /** For the palette, and as slash commands. */
  addCommands: (commands: readonly PanelCommand[]) => void
  /** For as long as what is being drawn is on the screen, and nothing lies over it. */
  bindKeys: (keys: readonly PanelKey[]) => void
  choose: <T>(title: string, options: readonly { title: string; value: T }[]) => Promise<T | undefined>
  askText: (title: string, placeholder: string) => Promise<string | undefined>
  toast: (message: string, variant: "success" | "warning") => void
  /** Runs when the host takes the panel away. */
  onEnd: (run: () => void) => void
}

interface PanelCommand {
  name: string
  title: string
  slash?: string
  run: () => void
}

export interface PanelKey {
  name: string
  /** Several with commas. */
  key: string
  title: string
  run: () => void
}

/** Wraps what a host calls, so that nothing of ours breaks its screen. */
export type Guard = <A extends unknown[], T>(
  what: string,
  run: (...args: A) => T,
  otherwise: T,
) => (...args: A) => T

export function guardWith(log: Log): Guard {
  return (what, run, otherwise) =>
    (...args) => {
      try {
        return run(...args)
      } catch (error) {
        log("error", `panel: ${what} failed`, error)
        return otherwise
      }
    }
}
