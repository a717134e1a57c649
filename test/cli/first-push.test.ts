import { spawn, spawnSync } from "node:child_process"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { GIT_ENV, git } from "../support/git-repo.ts"
import { aMem, by } from "../support/records.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { withStore } from "./filled-project.ts"
import { MAIN, TSX, useSandbox } from "./harness.ts"

const box = useSandbox()
let team: Team
beforeEach(async () => {
  team = makeTeam(box.root)
  await withStore(team.anna, (store) => store.append(by, (tx) => tx.add("mem", aMem(1))))
})

// util-linux's `script` runs a command in a terminal of its own.
const hasTerminal = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0

test.skipIf(!hasTerminal)("in a terminal the first push is asked for; no keeps the log here", async () => {
  const { code, screen } = await answering("n")
  expect(screen).toContain("Send the log (1 entry) to origin for the first time?")
  expect(screen).toContain("All users with access to origin can read it.")
  expect(screen).toContain("`hivemind sync --yes` sends it")
  expect(code).toBe(1)
  expect(git(team.remote, "for-each-ref", "refs/hivemind")).toBe("")
})

test.skipIf(!hasTerminal)(
  "in a terminal the first push is asked for; yes sends it, once and for all",
  async () => {
    const { code, screen } = await answering("y")
    expect([code, screen]).toEqual([0, expect.stringContaining("1 entry sent to origin.")])
    expect(git(team.remote, "rev-parse", LOG_REF)).toBe(git(team.anna, "rev-parse", LOG_REF))
    const again = await answering("n")
    expect(again.screen).not.toContain("for the first time?")
    expect(again.code).toBe(0)
  },
)

/** `hivemind sync` with a person at the keyboard who presses this key when asked. */
function answering(key: string): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, "--import", TSX, MAIN, "sync"].map((part) => `'${part}'`).join(" ")
  const child = spawn("script", ["-qec", `stty cols 200; ${command}`, "/dev/null"], {
    cwd: team.anna,
    env: { PATH: process.env["PATH"], HOME: box.home, TERM: "xterm", ...GIT_ENV },
  })
  onTestFinished(() => void child.kill())
  let shown = ""
  let isAnswered = false
  child.stdout.on("data", (chunk) => {
    shown += chunk
    if (isAnswered || !textOf(shown).includes("can read it.")) return
    isAnswered = true
    child.stdin.write(key)
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, screen: textOf(shown) }))
  })
}

/** Without colours and frames, as if the screen had one endless line. */
function textOf(shown: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal gets.
  return shown.replace(/\u001b\[[\d;?]*[A-Za-z]|[^\x20-\x7e]/g, " ").replace(/ +/g, " ")
}
