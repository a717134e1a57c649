import type { Log } from "../store/files/log-file.ts"
import type { Tone } from "./text/lines.ts"

/** The panel's interface to a terminal UI. Every `render` draws with the host's own packages. */
export interface PanelHost {
  /** The project that is open. */
  directory: string
  /** A config file below the project's own. */
  userConfig: string
  /** From the current theme; called again when it changes. */
  colour: (tone: Tone | "background") => unknown
  /** The session on the screen, or the last one before the panel was opened. */
  session: () => string | null
  addSidebar: (render: (session: () => string) => unknown) => void
  addScreen: (render: () => unknown) => void
  openScreen: () => void
  closeScreen: () => void
  /** For the palette, and as slash commands. */
  addCommands: (commands: readonly PanelCommand[]) => void
  /** Active while the drawn screen is visible and no dialog covers it. */
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

/** Wraps a callback, so that an error in it is logged and does not break the host's screen. */
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
