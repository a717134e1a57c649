import { execFileSync, spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { releaseOnExit } from "./exit-guard.ts"
import { findOpencode } from "./opencode-binary.ts"
import { killTree } from "./process-tree.ts"
import { makeScratch, REPOSITORY, type ScratchOptions } from "./scratch.ts"

export const noTerminal =
  spawnSync("tmux", ["-V"]).status === 0 ? undefined : "tmux is not installed: nothing to show the screen in"

/** A program with a screen, as a person has it: 180 columns, 50 lines, by keyboard. */
export interface Terminal extends AsyncDisposable {
  screen: () => string
  shows: (...texts: (string | RegExp)[]) => Promise<string>
  type: (text: string) => void
  /** By tmux's names: `Enter`, `C-p`, `Escape`. */
  press: (...keys: string[]) => void
}

export function openTerminal(modelUrl: string, options: ScratchOptions): Terminal & { project: string } {
  const { root, project, env } = makeScratch(modelUrl, options)
  const command = [findOpencode(REPOSITORY)]
  return { project, ...openScreen({ root, cwd: project, env, command }) }
}

/** Starts a program on a screen of its own. At the end `root` is removed with all that the program left there. */
export function openScreen({ root, cwd, env, command }: Screen): Terminal {
  const socket = join(root, "tmux")
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      cwd,
      env: { ...env, TERM: "xterm-256color", LANG: "C.UTF-8" },
      encoding: "utf8",
    })
  tmux("new-session", "-d", "-x", "180", "-y", "50", ...command)
  const pid = Number(tmux("display-message", "-p", "#{pid}"))
  const close = () => {
    // The server of this one socket, with the program in it.
    killTree({ pid })
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
  const forget = releaseOnExit(close)

  const screen = () => tmux("capture-pane", "-p").replaceAll(/ +$/gm, "")
  return {
    screen,
    async shows(...texts) {
      for (const text of texts)
        await expect
          .poll(screen, { timeout: WAIT_MS, interval: 200 })
          .toMatch(typeof text === "string" ? literal(text) : text)
      return screen()
    },
    type: (text) => tmux("send-keys", "-l", text),
    press: (...keys) => tmux("send-keys", ...keys),
    async [Symbol.asyncDispose]() {
      forget()
      close()
    },
  }
}

const literal = (text: string): RegExp => new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))

interface Screen {
  root: string
  cwd: string
  env: Record<string, string>
  command: string[]
}

const WAIT_MS = 40_000
